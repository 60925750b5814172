import { refusalCause } from "../../facts/refusal.ts";

export const serviceAccountMissing = refusalCause({
  name: "service-account-missing",
  texts: /error looking up service account [^/\s]+\/([^:\s]+)|serviceaccount "([^"]+)" not found/,
  explain: ([, one, two], { what }) => ({
    sentence: `new ${what} are refused: their ServiceAccount "${one ?? two}" does not exist`,
    fix: [`kubectl create serviceaccount ${one ?? two}`],
  }),
});
