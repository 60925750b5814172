import { refusalCause } from "../../facts/refusal.ts";

export const runtimeClassRefused = refusalCause({
  name: "runtime-class-missing",
  texts: /pod rejected: RuntimeClass "([^"]+)" not found|RuntimeClass "?([\w.-]+)"? not found/i,
  explain: ([, one, two], { what }) => ({
    sentence: `new ${what} are refused: their RuntimeClass "${one ?? two}" does not exist`,
    fix: ["kubectl get runtimeclasses"],
  }),
});
