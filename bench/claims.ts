/**
 * How long claims take until they are bound, and until their volumes are deleted, in a running cluster:
 * `KUBECONFIG=FILE node bench/claims.ts [COUNT] [PROVISIONER]`.
 */
import { persistentVolumeClaims, persistentVolumes } from "#/api/core/v1.ts";
import { storageClasses } from "#/api/storage/v1.ts";
import { Client } from "#/client/client.ts";
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

/** Waits until as many volumes of the class have a phase; an empty phase counts all. */
async function untilVolumes(wanted: number, phase: string): Promise<void> {
  await until(`${wanted} volumes`, async () => {
    const { items } = await client.list(persistentVolumes);
    const own = items.filter(({ spec, status }) => {
      return spec.storageClassName === name && (phase === "" || status?.phase === phase);
    });
    return own.length === wanted;
  });
}

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
  await untilVolumes(count, "Bound");
});
await timed("deleted", async () => {
  await Promise.all(
    names.map((claim) => client.delete(persistentVolumeClaims, { namespace, name: claim })),
  );
  await untilVolumes(0, "");
});
await client.delete(storageClasses, { name });
