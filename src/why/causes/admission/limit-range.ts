import { refusalCause } from "../../facts/refusal.ts";

export const limitRange = refusalCause({
  name: "limit-range",
  texts:
    /((?:maximum|minimum) [\w./-]+ (?:usage|limit)[^,\]]*|[\w./-]+ max limit to request ratio[^\]]*)(, but[^,\]]*)?/,
  explain: ([, rule = "", but = ""], { what }) => ({
    sentence: `a LimitRange of the namespace refuses new ${what}: ${rule}${but}`,
    fix: ["kubectl describe limitranges", "# change resources of the template"],
  }),
});
