import { checkCases } from "#/testing/check-cases.ts";
import { formatAge } from "./age.ts";

checkCases("formatAge", formatAge, [
  [-5, "0s"],
  [90_000, "90s"],
  [121_000, "2m"],
  [3 * 3_600_000, "3h"],
  [50 * 86_400_000, "50d"],
  [800 * 86_400_000, "2y"],
]);
