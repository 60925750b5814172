import type { Pod } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import type { Informers } from "#/client/informers/informers.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { NodeAgent } from "../node/node-agent.ts";
import type { PodEvents } from "../state/pod-events.ts";
import { localPlugins } from "../volumes/local-plugins.ts";
import { Mounter } from "../volumes/mounter.ts";
import { NodeVolumes } from "../volumes/node-volumes.ts";
import { persistentPlugin } from "../volumes/persistent-plugin.ts";
import { PodCertificates } from "../volumes/pod-certificates.ts";
import { ReferencedObjects } from "../volumes/referenced-objects.ts";
import { ServiceAccountTokens } from "../volumes/service-account-tokens.ts";
import { TrustBundles } from "../volumes/trust-bundles.ts";
import { type OpenedCsi, openCsi } from "./open-csi.ts";
import type { Machine } from "./open-machine.ts";

export interface VolumeParts {
  readonly machine: Machine;
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly node: NodeAgent;
  readonly events: PodEvents;
  podIPs(podUID: string): readonly string[];
  recursiveReadOnly(pod: Pod): boolean;
}

export interface OpenedVolumes {
  readonly volumes: NodeVolumes;
  readonly objects: ReferencedObjects;
  readonly csi: OpenedCsi;
}

/** Puts together the volumes of pods. */
export function openVolumes(parts: VolumeParts): OpenedVolumes {
  const { machine, client, informers, clock, node } = parts;
  const { directories } = machine;
  const mounter = new Mounter();
  const objects = new ReferencedObjects(client, clock);
  const tokens = new ServiceAccountTokens(client, clock);
  const bundles = new TrustBundles(informers, clock, () => volumes.refreshTrustBundles());
  const certificates = new PodCertificates({
    client,
    informers,
    clock,
    nodeName: machine.nodeName,
    node: () => node.node(),
    warn: (pod, reason, message) => parts.events.record(pod, { type: "Warning", reason, message }),
    renewed: (uid) => volumes.refresh(uid),
  });
  const csi = openCsi({ machine, client, clock, node, mounter, objects, tokens });
  const allocatable = () => node.node().status?.allocatable ?? {};
  const plugins = localPlugins({
    mounter,
    directories,
    clock,
    allocatableMemoryBytes: () => machine.facts.memoryBytes,
    sources: {
      getConfigMap: (namespace, name) => objects.getConfigMap(namespace, name),
      getSecret: (namespace, name) => objects.getSecret(namespace, name),
      getToken: async (subject) => (await tokens.get(subject)).status?.token ?? "",
      getTrustAnchors: (projection) => bundles.get(projection),
      getPodCertificate: (pod, volume, source, projection) =>
        certificates.get(pod, volume, source, projection),
      facts: ({ metadata }) => ({
        hostIPs: node.hostIPs(),
        podIPs: parts.podIPs(metadata.uid ?? ""),
        allocatable: allocatable(),
      }),
    },
  });
  const volumes: NodeVolumes = new NodeVolumes({
    clock,
    directories,
    mounter,
    objects,
    tokens,
    certificates,
    plugins: [
      ...plugins,
      csi.volumes.plugin(),
      persistentPlugin({
        client,
        mounter,
        directories,
        setUpCsi: (request) => csi.volumes.setUpPersistent(request),
      }),
    ],
    supportsRecursiveReadOnly: parts.recursiveReadOnly,
    unpublishCsi: (uid) => csi.volumes.tearDown(uid),
    attachedOnDisk: () => csi.volumes.attachedOnDisk(),
    warn: (pod, message) =>
      parts.events.record(pod, { type: "Warning", reason: "FailedMount", message }),
  });
  return { volumes, objects, csi };
}
