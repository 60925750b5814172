import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { systemClock } from "#/std/time/clock.ts";
import { startLocalStorage } from "#/testing/start-local-storage.ts";
import { until } from "#/testing/until.ts";
import { localVolumes } from "../base/custom-objects.ts";

type Storage = Awaited<ReturnType<typeof startLocalStorage>>;

function claim(name: string, fields: Partial<PersistentVolumeClaim["spec"]> = {}, size = "1Gi") {
  return {
    metadata: { name, namespace: "default" },
    spec: {
      storageClassName: "now",
      accessModes: ["ReadWriteOnce" as const],
      resources: { requests: { storage: size } },
      ...fields,
    },
  };
}

const bound = ({ client }: Storage, name: string) =>
  until(`claim ${name} is bound`, async () => {
    const found = await client.get(persistentVolumeClaims, { namespace: "default", name });
    return found.status?.phase === "Bound" ? found : undefined;
  });

const volumes = async ({ client }: Storage) => (await client.list(persistentVolumes)).items;

test("a claim gets a volume on a node, and its deletion deletes the volume", async () => {
  await using it = await startLocalStorage();
  await it.createClass("now");
  await it.client.create(persistentVolumeClaims, claim("a"));
  const { spec, metadata } = await bound(it, "a");
  const [volume] = await volumes(it);
  assert.equal(volume?.metadata.name, `pvc-${metadata.uid}`);
  assert.equal(spec.volumeName, volume?.metadata.name);
  assert.deepEqual(volume?.spec.csi, {
    driver: "local.csi.k8ts.dev",
    volumeHandle: volume?.metadata.name,
    volumeAttributes: {
      "local.csi.k8ts.dev/size-enforced": "false",
      "storage.kubernetes.io/csiProvisionerIdentity": "k8ts",
    },
  });
  assert.deepEqual(volume?.spec.capacity, { storage: "1Gi" });
  assert.deepEqual(await it.driver.folders(), [volume?.metadata.name]);
  await it.client.delete(persistentVolumeClaims, { namespace: "default", name: "a" });
  await until("the volume is gone", async () => (await volumes(it)).length === 0);
  assert.deepEqual(await it.driver.folders(), []);
  assert.deepEqual((await it.client.list(localVolumes)).items, []);
  assert.deepEqual(
    it.events.filter((event) => event.includes("rovision")),
    [
      'Normal Provisioning External provisioner is provisioning volume for claim "default/a"',
      `Normal ProvisioningSucceeded Successfully provisioned volume ${volume?.metadata.name}`,
    ],
  );
});

test("a claim of a class that waits gets no volume before the scheduler has chosen a node", async () => {
  await using it = await startLocalStorage();
  await it.createClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
  const late = { storageClassName: "late" };
  await it.client.create(persistentVolumeClaims, claim("a", late));
  const { metadata } = claim("b", late);
  const annotations = { "volume.kubernetes.io/selected-node": "n" };
  await it.client.create(persistentVolumeClaims, {
    ...claim("b", late),
    metadata: { ...metadata, annotations },
  });
  await bound(it, "b");
  assert.equal((await volumes(it)).length, 1);
});

for (const { why, fields, size, message } of [
  {
    why: "is larger than the disk",
    fields: {},
    size: "4Pi",
    message: /^Warning ProvisioningFailed .*"now": rpc error: code = ResourceExhausted desc = \d+ /,
  },
  {
    why: "is to be used on several nodes",
    fields: { accessModes: ["ReadWriteMany" as const] },
    size: "1Gi",
    message: /code = InvalidArgument desc = access mode MULTI_NODE_MULTI_WRITER is not supported/,
  },
  {
    why: "has a source that does not exist",
    fields: { dataSource: { kind: "PersistentVolumeClaim", name: "none" } },
    size: "1Gi",
    message: /error getting PVC none \(namespace "default"\) from api server: .*not found/,
  },
]) {
  test(`a claim that ${why} says so, and leaves nothing`, async () => {
    await using it = await startLocalStorage();
    await it.createClass("now");
    await it.client.create(persistentVolumeClaims, claim("a", fields, size));
    await until("the event", () => it.events.some((event) => message.test(event)));
    await it.client.delete(persistentVolumeClaims, { namespace: "default", name: "a" });
    await until("nothing is left", async () => {
      return (await it.client.list(localVolumes)).items.length === 0;
    });
    assert.deepEqual(await it.driver.folders(), []);
  });
}

test("a claim that its node refuses is tried again, more rarely as it gets older", async () => {
  await using it = await startLocalStorage();
  await it.createClass("now");
  let tries = 0;
  it.driver.pool.createVolume = () => {
    tries++;
    return Promise.reject(new GrpcError("RESOURCE_EXHAUSTED", "full"));
  };
  await it.client.create(persistentVolumeClaims, claim("a"));
  const created = systemClock.monotonicMs();
  await until("four tries", () => tries === 4);
  // Half of the claim's age, and at least a second, less the one to which times are rounded.
  assert.ok(systemClock.monotonicMs() - created >= 1_000);
  assert.ok(it.events.some((event) => event.endsWith("desc = full")));
});

test("the content of a retained volume stays when its object is deleted", async () => {
  await using it = await startLocalStorage();
  await it.createClass("now", { reclaimPolicy: "Retain" });
  await it.client.create(persistentVolumeClaims, claim("a"));
  const { spec } = await bound(it, "a");
  const name = spec.volumeName ?? "";
  const isMarked = async () => {
    const { metadata } = await it.client.get(localVolumes, { name });
    return metadata.labels?.["local.csi.k8ts.dev/provided"] === "true";
  };
  await until("the local volume is marked", isMarked);
  await it.client.delete(persistentVolumeClaims, { namespace: "default", name: "a" });
  await it.client.delete(persistentVolumes, { name });
  await until("the volume is gone", () =>
    it.client.get(persistentVolumes, { name }).then(() => false, isNotFound),
  );
  assert.deepEqual(await it.driver.folders(), [name]);
  await it.client.delete(localVolumes, { name });
  await until("the content is gone", async () => (await it.driver.folders()).length === 0);
});

test("a clone has the content of its source", async () => {
  await using it = await startLocalStorage();
  await it.createClass("now");
  await it.client.create(persistentVolumeClaims, claim("a"));
  await bound(it, "a");
  const source = { dataSource: { kind: "PersistentVolumeClaim", name: "a" } };
  await it.client.create(persistentVolumeClaims, claim("b", source));
  const { spec } = await bound(it, "b");
  assert.ok(it.driver.pool.findVolume(spec.volumeName ?? "")?.source?.volume?.startsWith("pvc-"));
});

test("a clone is on the node of its source, whichever the scheduler has selected", async () => {
  await using it = await startLocalStorage();
  await it.createClass("now");
  await it.createClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
  await it.client.create(persistentVolumeClaims, claim("a"));
  await bound(it, "a");
  const dataSource = { kind: "PersistentVolumeClaim", name: "a" };
  const { metadata, spec } = claim("b", { dataSource, storageClassName: "late" });
  const annotations = { "volume.kubernetes.io/selected-node": "other" };
  await it.client.create(persistentVolumeClaims, {
    metadata: { ...metadata, annotations },
    spec,
  });
  const { spec: bind } = await bound(it, "b");
  const volume = await it.client.get(persistentVolumes, { name: bind.volumeName ?? "" });
  const [term] = volume.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  assert.deepEqual(term?.matchExpressions?.[0]?.values, ["n"]);
});
