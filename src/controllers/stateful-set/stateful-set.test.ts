import assert from "node:assert/strict";
import { test } from "node:test";
import { type StatefulSet, type StatefulSetSpec, statefulSets } from "#/api/apps/v1.ts";
import { type Pod, persistentVolumeClaims, pods } from "#/api/core/v1.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { statefulSetController } from "./stateful-set.ts";

const namespace = "default";
const ref = { name: "web", namespace };

async function started(spec: Partial<StatefulSetSpec>) {
  const api = await startApiServer();
  const run = runControllersOn(api, [statefulSetController]);
  const { client } = run;
  const list = async (): Promise<readonly Pod[]> => (await client.list(pods, { namespace })).items;
  await client.create(statefulSets, {
    metadata: ref,
    spec: {
      serviceName: "web",
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      },
      ...spec,
    },
  });
  return {
    ...run,
    list,
    get: (): Promise<StatefulSet> => client.get(statefulSets, ref),
    names: async () => (await list()).map(({ metadata }) => metadata.name ?? "").sort(),
    makeReady: async () => {
      const conditions = [
        { type: "Ready", status: "True", lastTransitionTime: "2020-01-01T00:00:00Z" },
      ];
      for (const { metadata, status } of await list()) {
        if (status?.phase === "Running") continue;
        const patch = { status: { phase: "Running", conditions } };
        await client.patchStatus(pods, { name: metadata.name ?? "", namespace }, patch);
      }
    },
    async [Symbol.asyncDispose]() {
      await run[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

test("statefulset-controller makes pods one after the other, with claims of their own", async () => {
  await using run = await started({
    replicas: 2,
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ],
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
  });
  const { until, names, makeReady, client, list, get, events } = run;
  await until("the first pod", async () => (await names()).length === 1);
  await until("its status", async () => (await get()).status?.replicas === 1);
  assert.deepEqual(await names(), ["web-0"]);
  const [pod] = await list();
  assert.equal(pod?.spec?.hostname, "web-0");
  assert.equal(pod.spec.volumes?.[0]?.persistentVolumeClaim?.claimName, "data-web-0");
  assert.equal(pod.metadata.labels?.["apps.kubernetes.io/pod-index"], "0");
  await makeReady();
  await until("the second pod", async () => (await names()).length === 2);
  await makeReady();
  await until("all ready", async () => (await get()).status?.readyReplicas === 2);
  const claims = (await client.list(persistentVolumeClaims, { namespace })).items;
  assert.deepEqual(claims.map(({ metadata }) => metadata.name).sort(), [
    "data-web-0",
    "data-web-1",
  ]);
  assert.equal(claims[0]?.metadata.ownerReferences?.[0]?.kind, "StatefulSet");
  assert.deepEqual(events.slice(0, 2), [
    "Normal SuccessfulCreate Create Claim data-web-0 Pod web-0 in StatefulSet web success",
    "Normal SuccessfulCreate Create Pod web-0 in StatefulSet web successful",
  ]);
  await client.patch(statefulSets, ref, { spec: { replicas: 1 } }, { type: "merge" });
  await until("the last pod gone", async () => (await names()).length === 1);
  assert.deepEqual(await names(), ["web-0"]);
});

test("statefulset-controller updates from the highest pod down to the partition", async () => {
  await using run = await started({
    replicas: 3,
    podManagementPolicy: "Parallel",
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } },
  });
  const { until, names, makeReady, client, list, get } = run;
  await until("3 pods", async () => (await names()).length === 3);
  await makeReady();
  await until("all ready", async () => (await get()).status?.currentReplicas === 3);
  const template = { spec: { containers: [{ name: "c", image: "j" }] } };
  await client.patch(statefulSets, ref, { spec: { template } }, { type: "merge" });
  const images = async () => {
    const sorted = [...(await list())].sort((a, b) =>
      (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1,
    );
    return sorted.map(({ spec }) => spec?.containers[0]?.image).join("");
  };
  await until("the last one", async () => (await images()) === "iij");
  await makeReady();
  await until("the middle one", async () => (await images()) === "ijj");
  await makeReady();
  await until("the status", async () => (await get()).status?.updatedReplicas === 2);
  const { status } = await get();
  assert.notEqual(status?.currentRevision, status?.updateRevision);
  assert.equal(status?.currentReplicas, 1);
});
