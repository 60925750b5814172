import { logCause } from "../../facts/crash.ts";

/** A fault of the program itself, of which its log has the place. */
export const logOwnError = logCause({
  name: "program-error",
  texts:
    /^panic: |panicked at|segmentation fault|nil pointer|null ?pointer|unhandled (?:exception|rejection)|uncaught|^\w*(?:Type|Reference|Range|Value|Index|Attribute|Assertion)Error\b|assertion failed/i,
  meaning: "its program has a fault",
  fix: ["kubectl rollout history", "# go back to the version before, or correct the program"],
});
