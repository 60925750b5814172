import { type Pod, pods } from "#/api/core/v1.ts";
import { inNamespace, subjectOf } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { count, timeOf } from "../../base/text.ts";
import { containersOf } from "../../facts/containers.ts";
import { eventLine, podEvent } from "../../facts/pod-events.ts";
import { probeResult, probeText } from "../../facts/probe-failure.ts";

/** Before the causes that look at exit codes: the kubelet itself ends the container. */
export const livenessProbe = cause<Pod>({
  name: "liveness-probe-fails",
  layer: "containers",
  group: "crash",
  of: [pods],
  find(pod, view) {
    const killed = podEvent(pod, view, ["Killing"], (text) =>
      /failed (?:liveness|startup) probe/.test(text),
    );
    const container = containersOf(pod).find(({ name }) => killed?.message.includes(` ${name} `));
    if (!killed || !container || container.status?.restartCount === 0) return undefined;
    const kind = killed.message.includes("startup") ? "Startup" : "Liveness";
    const failed = podEvent(pod, view, ["Unhealthy"], (text) => text.startsWith(kind));
    const probe = kind === "Startup" ? container.spec.startupProbe : container.spec.livenessProbe;
    const result = failed ? `: ${probeResult(failed.message, container.spec, probe)}` : "";
    const restarts = count(container.status?.restartCount ?? 0, "restart");
    const at = inNamespace(subjectOf(pods, pod));
    return {
      sentence: `the kubelet restarts ${container.label} because its ${kind.toLowerCase()} probe fails${result} (${restarts})`,
      since: timeOf(killed.firstMs),
      evidence: [
        eventLine(killed, view.nowMs),
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
