import type { EventRecorder } from "#/client/events/event-recorder.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { followConfig } from "./config-source.ts";
import { CorefileError } from "./corefile/read-corefile.ts";

interface ReportOptions {
  readonly informers: Informers;
  readonly configMap: string;
  readonly port: number;
  readonly recorder: EventRecorder;
}

/** Records an event on the ConfigMap for each version: for all nodes at once, which read it alike. */
export function reportConfig({ recorder, ...source }: ReportOptions): Disposable {
  return followConfig(source, ({ configMap, found }) => {
    if (!configMap || found === undefined) return;
    const about = { apiVersion: "v1", kind: "ConfigMap", metadata: configMap.metadata };
    if (found instanceof CorefileError) {
      const message = `${found.message}; the last configuration without such a problem stays`;
      recorder.event(about, "Warning", "InvalidCorefile", message);
    } else recorder.event(about, "Normal", "CorefileRead", "cluster DNS uses this configuration");
  });
}
