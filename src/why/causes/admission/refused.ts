import { oneLine } from "../../base/text.ts";
import { refusalCause, withoutPrefix } from "../../facts/refusal.ts";

/** Of the group's causes the last: any other text. */
export const refused = refusalCause({
  name: "create-refused",
  texts: /(?:)/,
  explain: (_match, { what, message }) => ({
    sentence: `new ${what} are refused by the API server: ${oneLine(withoutPrefix(message), 220)}`,
  }),
});
