import { refusalCause } from "../../facts/refusal.ts";

export const namespaceEnds = refusalCause({
  name: "namespace-terminating",
  texts: /because it is being terminated|namespaces? "([^"]+)" not found/,
  explain: (_match, { what }, { metadata }) => ({
    sentence: `the namespace "${metadata.namespace}" is being deleted, so new ${what} are refused`,
    fix: [`kubectl why namespace/${metadata.namespace}`],
  }),
});
