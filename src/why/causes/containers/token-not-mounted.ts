import { oneLine } from "../../base/text.ts";
import { crashCause, logLine, restartsText } from "../../facts/crash.ts";

const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
const texts = new RegExp(`${folder}|service account token|in-cluster config`, "i");

/** A program that wants the token of its service account, in a container that has none. */
export const tokenNotMounted = crashCause({
  name: "token-not-mounted",
  applies: ({ container, log, message }) =>
    !(container.spec.volumeMounts ?? []).some(({ mountPath }) => mountPath === folder) &&
    logLine(log, message, texts) !== undefined,
  explain: (crash, { spec }) => {
    const { container, exitCode, log, message } = crash;
    const line = oneLine(logLine(log, message, texts) ?? "", 120);
    const by = spec.automountServiceAccountToken === false ? "the Pod" : "its ServiceAccount";
    return {
      sentence: `${container.label} ends with exit code ${exitCode}${restartsText(crash)}: it needs the token of its service account, which it does not get (automountServiceAccountToken: false of ${by}); it says "${line}"`,
      fix: ["# set automountServiceAccountToken to true in the Pod or its ServiceAccount"],
    };
  },
});
