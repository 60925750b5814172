import { nodes } from "#/api/core/v1.ts";
import { csiStorageCapacities, type StorageClass, storageClasses } from "#/api/storage/v1.ts";
import { runControllers } from "#/controller/run-controllers.ts";
import { persistentVolumeBinderController } from "#/controllers/persistent-volume-binder/persistent-volume-binder.ts";
import { driverName, nodeKey } from "#/local-storage/base/names.ts";
import { clusterControllers } from "#/local-storage/controllers/index.ts";
import { installDefinitions } from "#/local-storage/controllers/install-definitions.ts";
import { nodeControllers } from "#/local-storage/node/node-controllers.ts";
import { systemClock } from "#/std/time/clock.ts";
import { type RunningControllers, runControllersOn } from "./run-controllers-on.ts";
import { startApiServer } from "./start-api-server.ts";
import { startLocalDriver, type TestDriver } from "./start-local-driver.ts";

interface LocalStorage extends AsyncDisposable {
  readonly client: RunningControllers["client"];
  readonly driver: TestDriver;
  /** The events of the driver's controllers. */
  readonly events: readonly string[];
  createClass(name: string, fields?: Partial<StorageClass>): Promise<void>;
}

/** An API server with a node "n", its volumes in folders, and the controllers of volumes. */
export async function startLocalStorage(backend = "directory"): Promise<LocalStorage> {
  await using stack = new AsyncDisposableStack();
  const stop = new AbortController();
  const api = stack.use(await startApiServer());
  const driver = stack.use(await startLocalDriver({ backend }));
  const client = api.client();
  await client.create(nodes, {
    metadata: { name: "n", labels: { [nodeKey]: "n" } },
    spec: {},
  });
  await installDefinitions(client, systemClock, stop.signal);
  stack.use(runControllersOn(api, [persistentVolumeBinderController]));
  const { events } = stack.use(runControllersOn(api, clusterControllers, { options: undefined }));
  const work = { nodeName: "n", driver: driver.handlers, changed: () => undefined };
  const shared = { client: api.client(), options: undefined };
  const running = runControllers(nodeControllers(work), shared, stop.signal);
  stack.defer(async () => {
    stop.abort();
    await running;
  });
  const opened = stack.move();
  return {
    client,
    driver,
    events,
    async createClass(name, fields = {}) {
      await client.create(storageClasses, {
        metadata: { name },
        provisioner: driverName,
        allowVolumeExpansion: true,
        ...fields,
      });
      await client.create(csiStorageCapacities, {
        metadata: { name, namespace: "kube-system" },
        storageClassName: name,
        nodeTopology: { matchLabels: { [nodeKey]: "n" } },
        capacity: "1Gi",
      });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
