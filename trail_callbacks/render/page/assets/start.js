"use strict";
// Before anything is painted: what only stands there for readers without script is not shown first.
document.documentElement.dataset.script = "on";
