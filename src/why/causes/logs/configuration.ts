import { logCause } from "../../facts/crash.ts";

export const logConfiguration = logCause({
  name: "program-configuration",
  texts:
    /environment variable|env(?:ironment)? var|(?:must|has to) be (?:set|provided|specified)|is (?:not set|required|missing|undefined|unset|not specified)|missing required|unknown (?:option|flag|command|argument)|unrecognized (?:option|argument)|invalid (?:option|argument|configuration|config)|config(?:uration)? (?:file|error)|parse error|syntax error|flag provided but not defined|KeyError: '[A-Z][A-Z0-9_]+'|\byaml: |\btoml: |mapping values are not allowed|cannot unmarshal|invalid character '.+' looking for|Unexpected token .* JSON|(?:failed|unable|could not|cannot) (?:to )?parse|missing script|usage:/i,
  meaning: "its configuration is missing something or is invalid",
  fix: ["# compare its env, args and mounted files with what the program needs"],
});
