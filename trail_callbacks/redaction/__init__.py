"""Ready-made functions for `redact`: a text without its e-mail addresses, keys, card numbers, IBANs or phone numbers.

    TrailCallbackHandler(redact=presets("email", "key", "card"))
    TrailCallbackHandler(redact=(presets("email"), hide_names))  # with a function of one's own

What is found becomes a placeholder such as `<email:kfbwqz>`. Within a process equal values have equal placeholders and
different ones different placeholders, so a text that names another address than its source is still a mismatch; the
value cannot be computed from it. Patterns find what has a form of its own. Names, streets and dates of birth have none:
for those pass a function of your own.

How redaction is applied to what is recorded is in `capture.redaction`.
"""

from trail_callbacks.redaction.presets import Kind, Presets, presets

__all__ = ["Kind", "Presets", "presets"]
