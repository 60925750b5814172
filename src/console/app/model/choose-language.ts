export const languages = ["en", "zh-TW", "zh-CN"] as const;

export type Language = (typeof languages)[number];

/** The first language of a browser's list that the console has; English if it has none of them. */
export function chooseLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const [language, ...rest] = tag.toLowerCase().split("-");
    if (language === "en") return "en";
    if (language !== "zh") continue;
    const isTraditional = rest.some((part) => ["hant", "tw", "hk", "mo"].includes(part));
    return isTraditional ? "zh-TW" : "zh-CN";
  }
  return "en";
}
