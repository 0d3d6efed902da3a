"use strict";
// Before the first paint, so that content for readers without scripts never flashes up.
document.documentElement.dataset.script = "on";
