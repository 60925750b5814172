import { oneLine } from "../../base/text.ts";
import { refusalCause, withoutPrefix } from "../../facts/refusal.ts";

export const storeFails = refusalCause({
  name: "store-fails",
  layer: "store",
  texts:
    /etcdserver|database space exceeded|leader changed|Internal error occurred: (?!failed calling)|the server was unable to return a response in the time allotted|request is too large/i,
  explain: (_match, { what, message }) => ({
    sentence: `the API server cannot store new ${what}: ${oneLine(withoutPrefix(message), 200)}`,
    fix: ["k8ts status", "k8ts logs kube-apiserver"],
  }),
});
