import { type Pod, pods } from "#/api/core/v1.ts";
import { inNamespace, subjectOf } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { count, timeOf } from "../../base/text.ts";
import type { EventFact, View } from "../../base/view.ts";
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
    const at = inNamespace(subjectOf(pods, pod));
    return {
      sentence: `the kubelet restarts ${container.label} because its ${kind.toLowerCase()} probe fails${result} (${restarts})`,
      since: timeOf((killed ?? failed)?.firstMs),
      evidence: [
        ...(killed ? [eventLine(killed, view.nowMs)] : []),
        ...(failed ? [eventLine(failed, view.nowMs)] : []),
        ...(probe ? [`the probe: ${probeText(probe)}`] : []),
      ],
      fix: [
        `kubectl ${at}logs ${pod.metadata.name} -c ${container.name} --previous`,
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

/** The probe whose failure has ended a container: events about it may be missing, as they are limited. */
function probeThatKills(container: ContainerFacts, pod: Pod, view: View): Kind | undefined {
  const killed = killing(container, pod, view);
  const endedMs = Date.parse(endOf(container)?.finishedAt ?? "");
  const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000 + nearMs;
  const isNear = (event: EventFact | undefined): boolean =>
    event !== undefined && Math.abs(endedMs - event.lastMs) < graceMs;
  if (isNear(killed)) return killed?.message.includes("startup") ? "Startup" : "Liveness";
  // A program that ends by itself makes probes fail, too.
  if (!signalled.has(endOf(container)?.exitCode ?? 0)) return undefined;
  const { livenessProbe, startupProbe } = container.spec;
  const failed = (kind: Kind) =>
    podEvent(pod, view, ["Unhealthy"], (text) => text.startsWith(`${kind} probe failed`));
  if (livenessProbe && isNear(failed("Liveness"))) return "Liveness";
  return startupProbe && isNear(failed("Startup")) ? "Startup" : undefined;
}
