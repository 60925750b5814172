import { refusalCause } from "../../facts/refusal.ts";

export const priorityClassMissing = refusalCause({
  name: "priority-class-missing",
  texts: /no PriorityClass with name (\S+) was found/,
  explain: ([, name], { what }) => ({
    sentence: `new ${what} are refused: their PriorityClass "${name}" does not exist`,
    fix: ["kubectl get priorityclasses"],
  }),
});
