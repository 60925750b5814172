import { oneLine } from "../../base/text.ts";
import { refusalCause, withoutPrefix } from "../../facts/refusal.ts";

export const templateInvalid = refusalCause({
  name: "template-invalid",
  texts: /is invalid: (.*)$/s,
  explain: ([, text = ""], { what, message }) => ({
    sentence: /field is immutable/.test(message)
      ? `new ${what} are refused: a field that may not change was changed: ${oneLine(text, 200)}`
      : `new ${what} are refused: the template is invalid: ${oneLine(text || withoutPrefix(message), 220)}`,
    fix: ["# correct the template"],
  }),
});
