import assert from "node:assert/strict";
import { test } from "node:test";
import { type Deployment, deployments, replicaSets } from "#/api/apps/v1.ts";
import { type Pod, pods } from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { replicaSetController } from "../replica-set/replica-set.ts";
import { deploymentController } from "./deployment.ts";

const deployment = (spec: Partial<Deployment["spec"]> = {}): Deployment => ({
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "c", image: "one" }] },
    },
    ...spec,
  },
});
const ref = { name: "web", namespace: "default" };

async function started() {
  const api = await startApiServer();
  const run = runControllersOn(api, [deploymentController, replicaSetController]);
  const { client, until } = run;
  const active = async (): Promise<Pod[]> =>
    (await client.list(pods, { namespace: "default" })).items.filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
  /** Acts as the kubelet until it is stopped: Pods become ready. */
  const makeReady = async (): Promise<void> => {
    for (const pod of await active()) {
      if (pod.status?.phase === "Running") continue;
      const conditions = [{ type: "Ready", status: "True" }];
      const status = { phase: "Running" as const, conditions };
      // The pod may have been deleted since.
      await client.updateStatus(pods, { ...pod, status }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  };
  return {
    ...run,
    active,
    imagesBecome: async (...images: string[]) =>
      await until(`images ${images}`, async () => {
        await makeReady();
        const now = (await active()).map(({ spec }) => spec?.containers[0]?.image ?? "").sort();
        return now.join() === images.join();
      }),
    get: () => client.get(deployments, ref),
    setImage: async (image: string) => {
      const container = { name: "c", image };
      const patch = { spec: { template: { spec: { containers: [container] } } } };
      await client.patch(deployments, ref, patch, { type: "strategic" });
    },
    async [Symbol.asyncDispose]() {
      await run[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

test("deployment-controller rolls a new template out, and reports progress", async () => {
  await using run = await started();
  await run.client.create(deployments, deployment());
  await run.imagesBecome("one", "one", "one");
  await run.setImage("two");
  await run.imagesBecome("two", "two", "two");
  await run.until("completion", async () => {
    const { status, metadata } = await run.get();
    return status?.updatedReplicas === 3 && status.observedGeneration === metadata.generation;
  });
  const { status, metadata } = await run.get();
  assert.equal(metadata.annotations?.["deployment.kubernetes.io/revision"], "2");
  const { items } = await run.client.list(replicaSets, { namespace: "default" });
  assert.deepEqual(items.map(({ spec }) => spec?.replicas).sort(), [0, 3]);
  await run.until("a condition of success", async () => {
    const { status: now } = await run.get();
    return (
      now?.conditions?.find(({ type }) => type === "Progressing")?.reason ===
      "NewReplicaSetAvailable"
    );
  });
  assert.ok(run.events.some((text) => / Scaled up replica set web-\w+ from 0 to 3$/.test(text)));
  assert.ok(
    run.events.some((text) => / Scaled down replica set web-\w+ from [1-3] to 0$/.test(text)),
  );
  assert.ok((status?.replicas ?? 0) >= 3);
});

test("deployment-controller keeps within maxUnavailable and maxSurge", async () => {
  await using run = await started();
  await run.client.create(deployments, deployment());
  await run.imagesBecome("one", "one", "one");
  await run.setImage("two");
  await run.until("one more", async () => (await run.active()).length === 4);
  const images = (await run.active()).map(({ spec }) => spec?.containers[0]?.image).sort();
  assert.deepEqual(images, ["one", "one", "one", "two"]);
});

test("deployment-controller deletes all old Pods first with strategy Recreate", async () => {
  await using run = await started();
  await run.client.create(deployments, deployment({ strategy: { type: "Recreate" } }));
  await run.imagesBecome("one", "one", "one");
  await run.setImage("two");
  await run.imagesBecome("two", "two", "two");
});

test("deployment-controller follows the deployment's size, even while it is paused", async () => {
  await using run = await started();
  const made = await run.client.create(deployments, deployment({ paused: true, replicas: 1 }));
  await run.until("a pause", async () => {
    const { status } = await run.get();
    return status?.conditions?.some(({ reason }) => reason === "DeploymentPaused") === true;
  });
  await run.client.patch(deployments, refOf(made), { spec: { paused: false } }, { type: "merge" });
  await run.imagesBecome("one");
  await run.client.patch(
    deployments,
    refOf(made),
    { spec: { paused: true, replicas: 2 } },
    { type: "merge" },
  );
  await run.imagesBecome("one", "one");
});
