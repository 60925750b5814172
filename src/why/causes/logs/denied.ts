import { oneLine } from "../../base/text.ts";
import { crashCause, logLine, restartsText } from "../../facts/crash.ts";
import { deniedConnection } from "../../facts/denied-connections.ts";
import { connectionTexts } from "./connection.ts";
import { nameTexts } from "./name.ts";

const texts = new RegExp(`${connectionTexts.source}|${nameTexts.source}|time(?:d )?out`, "i");

/** A program that cannot connect, in a Pod whose node has denied it a connection. */
export const logDenied = crashCause({
  name: "program-connections-denied",
  layer: "network",
  certainty: "likely",
  applies: ({ log, message }, pod, view) =>
    logLine(log, message, texts) !== undefined &&
    deniedConnection(pod, view)?.direction === "egress",
  explain(crash, pod, view) {
    const { container, exitCode, log, message } = crash;
    const line = oneLine(logLine(log, message, texts) ?? "", 120);
    const denied = deniedConnection(pod, view);
    return {
      sentence: `${container.label} ends with exit code ${exitCode}${restartsText(crash)}, as ${denied?.policies.join(", ")} forbids what it connects to: ${oneLine(denied?.event.message ?? "", 160)}; it says "${line}"`,
      fix: [`kubectl describe networkpolicies -n ${pod.metadata.namespace}`],
    };
  },
});
