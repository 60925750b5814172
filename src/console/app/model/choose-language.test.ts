import { checkCases } from "#/testing/check-cases.ts";
import { chooseLanguage } from "./choose-language.ts";

checkCases("chooseLanguage", chooseLanguage, [
  [["de-DE", "zh-Hant-HK", "en"], "zh-TW"],
  [["zh-TW"], "zh-TW"],
  [["zh"], "zh-CN"],
  [["zh-Hans-SG"], "zh-CN"],
  [["fr", "en-GB", "zh-CN"], "en"],
  [[], "en"],
]);
