// Filters apply as soon as they are chosen; without script, the button does it.
"use strict";
for (const form of document.querySelectorAll("form.filters")) {
  for (const choice of form.querySelectorAll("select")) {
    choice.addEventListener("change", () => form.requestSubmit());
  }
}
