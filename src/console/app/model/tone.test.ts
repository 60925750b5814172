import { checkCases } from "#/testing/check-cases.ts";
import { toneOf, toneOfCount } from "./tone.ts";

checkCases("toneOf", toneOf, [
  ["Running", "good"],
  ["CrashLoopBackOff", "bad"],
  ["ContainerCreating", "busy"],
  ["Init:0/1", "busy"],
  ["NodeAffinity", "idle"],
]);

checkCases("toneOfCount", toneOfCount, [
  ["3/3", "good"],
  ["1/3", "busy"],
  ["0/0", "idle"],
  ["x", undefined],
]);
