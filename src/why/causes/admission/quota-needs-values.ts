import { refusalCause } from "../../facts/refusal.ts";

export const quotaNeedsValues = refusalCause({
  name: "quota-needs-requests",
  texts: /failed quota: ([^:]+): must specify ([^;]+)/,
  explain: ([, name, values], { what }) => ({
    sentence: `the quota "${name}" refuses new ${what}: they must specify ${values}`,
    fix: ["# set resources.requests and limits in the template, or defaults by a LimitRange"],
  }),
});
