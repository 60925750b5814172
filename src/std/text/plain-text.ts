/** Characters by which a text moves the cursor, changes colours or the title of a terminal, or hides what is before it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** A text from elsewhere for a terminal: its control characters are shown, but for tabs and the ends of lines. */
export const plainText = (text: string): string =>
  text.replace(controls, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The same for a text that has one line. */
export const plainLine = (text: string): string => plainText(text).replaceAll("\n", "\\n");
