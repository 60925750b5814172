import { computed, effect, signal } from "@preact/signals";
import { loadAgain } from "../base/load-again.ts";
import { chosenLanguage } from "../base/preferences.ts";
import { chooseLanguage, type Language } from "../model/choose-language.ts";
import { en } from "./en.ts";

/** Every text of the console. English defines which there are; the compiler compares the others with it. */
export type Texts = {
  readonly [Key in keyof typeof en]: (typeof en)[Key] extends string ? string : (typeof en)[Key];
};

const others: Readonly<Record<Exclude<Language, "en">, () => Promise<Texts>>> = {
  "zh-TW": async () => (await import("./zh-tw.ts")).traditionalChinese,
  "zh-CN": async () => (await import("./zh-cn.ts")).simplifiedChinese,
};

export const languageNames: Readonly<Record<Language, string>> = {
  en: "English",
  "zh-TW": "繁體中文",
  "zh-CN": "简体中文",
};

const wanted = computed(() =>
  chooseLanguage(chosenLanguage.value ? [chosenLanguage.value] : navigator.languages),
);

/** The language that is shown: another one is shown once its texts are loaded. */
export const language = signal<Language>("en");
const texts = signal<Texts>(en);

/** The texts in the user's language. */
export const t = (): Texts => texts.value;

/** Shows the wanted language, from now on; resolves when the first is there. */
export function followLanguage(): Promise<void> {
  return new Promise((resolve) => {
    effect(() => {
      void show(wanted.value).finally(resolve);
    });
  });
}

async function show(next: Language): Promise<void> {
  const loaded = next === "en" ? en : await loadAgain(others[next]);
  if (next !== wanted.peek()) return;
  document.documentElement.lang = next;
  language.value = next;
  texts.value = loaded;
}
