import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { count, timeOf } from "../../base/text.ts";
import type { EventFact, View } from "../../base/view.ts";
import { connectionFailure } from "../../facts/connection-failure.ts";
import { type ContainerFacts, containersOf, endOf, isCrashing } from "../../facts/containers.ts";
import { eventLine, podEvent } from "../../facts/pod-events.ts";
import { probeResult, probeText } from "../../facts/probe-failure.ts";

/** Before the causes that look at exit codes: the kubelet itself ends the container. */
export const livenessProbe = cause<Pod>({
  name: "liveness-probe-fails",
  layer: "containers",
  group: "crash",
  of: [pods],
  find(pod, view) {
    const container = containersOf(pod).find((one) => isCrashing(one, pod, view.nowMs));
    const kind = container && probeThatKills(container, pod, view);
    if (!container || !kind) return undefined;
    const killed = killing(container, pod, view);
    const failed = podEvent(pod, view, ["Unhealthy"], (text) => text.startsWith(kind));
    const probe = kind === "Startup" ? container.spec.startupProbe : container.spec.livenessProbe;
    const result = failed ? `: ${probeResult(failed.message, container.spec, probe)}` : "";
    const restarts = count(container.status?.restartCount ?? 0, "restart");
    return {
      sentence: `the kubelet restarts ${container.label} because its ${kind.toLowerCase()} probe fails${result} (${restarts})`,
      certainty: killed && isNear(killed, container, pod) ? "proven" : "likely",
      since: timeOf((killed ?? failed)?.firstMs),
      evidence: [
        ...(killed ? [eventLine(killed, view.nowMs)] : []),
        ...(failed ? [eventLine(failed, view.nowMs)] : []),
        ...(probe ? [`the probe: ${probeText(probe)}`] : []),
      ],
      fix: [
        `kubectl logs ${pod.metadata.name} -c ${container.name} --previous`,
        "# correct the probe's path, port or time, or give a slow start a startupProbe",
      ],
    };
  },
});

type Kind = "Liveness" | "Startup";

const killing = ({ name }: ContainerFacts, pod: Pod, view: View): EventFact | undefined =>
  podEvent(
    pod,
    view,
    ["Killing"],
    (text) => text.includes(` ${name} `) && /failed (?:liveness|startup) probe/.test(text),
  );

/** Limit of the time (ms) between a probe that fails and the end of the container, beyond its grace period. */
const nearMs = 60_000;

/** Exit codes of a program that was ended by the signals that the kubelet sends. */
const signalled = new Set([137, 143]);

/** Whether a program was there to fail its probe: one that has ended by itself only refuses connections. */
const isAnswered = (event: EventFact): boolean => connectionFailure(event.message) === undefined;

/** Whether an event was about the end of a container. */
function isNear(event: EventFact, container: ContainerFacts, pod: Pod): boolean {
  const endedMs = Date.parse(endOf(container)?.finishedAt ?? "");
  const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000 + nearMs;
  return Math.abs(endedMs - event.lastMs) < graceMs;
}

/** The probe whose failure has ended a container: events about it may be missing, as they are limited. */
function probeThatKills(container: ContainerFacts, pod: Pod, view: View): Kind | undefined {
  const killed = killing(container, pod, view);
  const { exitCode = 0, reason } = endOf(container) ?? {};
  const wasSignalled = signalled.has(exitCode) && reason !== "OOMKilled";
  // Of a container that is ended again and again the events are old: they are limited.
  if (killed && (wasSignalled || isNear(killed, container, pod)))
    return killed.message.includes("startup") ? "Startup" : "Liveness";
  const { livenessProbe, startupProbe } = container.spec;
  const isCause = (kind: Kind): boolean => {
    const failed = podEvent(pod, view, ["Unhealthy"], (text) =>
      text.startsWith(`${kind} probe failed`),
    );
    // A program that ends by itself makes probes fail, too; one that is ended may exit with any code.
    if (!failed || !isNear(failed, container, pod)) return false;
    return wasSignalled || isAnswered(failed);
  };
  if (livenessProbe && isCause("Liveness")) return "Liveness";
  return startupProbe && isCause("Startup") ? "Startup" : undefined;
}
