import { refusalCause } from "../../facts/refusal.ts";

export const nameTaken = refusalCause({
  name: "name-taken",
  layer: "controllers",
  texts: /"([^"]+)" already exists/,
  explain: ([, name], { what }) => ({
    sentence: `new ${what} cannot be created: there is "${name}" already, which belongs to something else`,
    fix: [`kubectl get all | grep ${name}`],
  }),
});
