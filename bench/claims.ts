/**
 * How long claims take until they are bound, and until their volumes are deleted, in a running cluster:
 * `KUBECONFIG=FILE node bench/claims.ts [COUNT] [PROVISIONER]`.
 */
import { persistentVolumeClaims, persistentVolumes } from "#/api/core/v1.ts";
import { storageClasses } from "#/api/storage/v1.ts";
import { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers/informers.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { systemClock } from "#/std/time/clock.ts";
import { until } from "#/testing/until.ts";

const count = Number(process.argv[2] ?? 100);
const provisioner = process.argv[3] ?? "local.csi.k8ts.dev";
const name = `bench-${process.pid}`;
const namespace = "default";
await using transport = await openTransport({
  kubeconfig: process.env["KUBECONFIG"] ?? "",
  master: "",
});
const client = new Client(transport);

// A watch, as clients have it: lists in a loop would be most of the server's work.
using stop = new DisposableStack();
const ended = new AbortController();
stop.defer(() => ended.abort());
const informers = new Informers(client, ended.signal);
const claims = informers.informer(persistentVolumeClaims);
const volumes = informers.informer(persistentVolumes);
await Promise.all([claims.synced, volumes.synced]);

const boundClaims = (): number =>
  claims.store
    .list()
    .filter(({ spec, status }) => spec?.storageClassName === name && status?.phase === "Bound")
    .length;
const ownVolumes = (): number =>
  volumes.store.list().filter(({ spec }) => spec?.storageClassName === name).length;

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const beganMs = systemClock.monotonicMs();
  await work();
  const seconds = ((systemClock.monotonicMs() - beganMs) / 1000).toFixed(2);
  process.stdout.write(`${count} claims ${what}: ${seconds} s\n`);
}

await client.create(storageClasses, {
  metadata: { name },
  provisioner,
  volumeBindingMode: "Immediate",
});
// The capacity of the class is published first.
await systemClock.sleep(1000);
const names = Array.from({ length: count }, (_, index) => `${name}-${index}`);
await timed("bound", async () => {
  await Promise.all(
    names.map((claim) =>
      client.create(persistentVolumeClaims, {
        metadata: { name: claim, namespace },
        spec: {
          storageClassName: name,
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "100Mi" } },
        },
      }),
    ),
  );
  await until(`${count} bound claims`, () => boundClaims() === count);
});
await timed("deleted", async () => {
  await Promise.all(
    names.map((claim) => client.delete(persistentVolumeClaims, { namespace, name: claim })),
  );
  await until("no volumes", () => ownVolumes() === 0);
});
await client.delete(storageClasses, { name });
