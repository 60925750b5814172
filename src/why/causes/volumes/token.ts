import { mountCause, volumeText } from "../../facts/mount-failure.ts";

export const tokenRefused = mountCause({
  name: "service-account-token",
  texts: /failed to fetch token: (.*)|serviceaccounts? "([^"]+)" not found/s,
  explain: ([, why = "", account], failure, { spec }) => ({
    layer: /forbidden|cannot/.test(why) ? "authorization" : "volumes",
    sentence: `the node gets no token for the ServiceAccount "${account ?? spec.serviceAccountName ?? "default"}" of its volume${volumeText(failure)}${/not found/.test(why) ? ": it does not exist" : ""}`,
    fix: ["kubectl get serviceaccounts"],
  }),
});
