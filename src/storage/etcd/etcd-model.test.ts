import { after, before, test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { EtcdCluster } from "#/testing/etcd-cluster.ts";
import { compareWithModel } from "#/testing/model-run.ts";
import { TcpProxy } from "#/testing/tcp-proxy.ts";
import { modelSeeds, storageModel } from "../contract/storage.model.ts";
import { EtcdStorage } from "./etcd-storage.ts";

let cluster: EtcdCluster;
before(async () => {
  cluster = await EtcdCluster.start();
});
after(() => cluster[Symbol.asyncDispose]());

// One seed, since its TTLs expire in real time.
storageModel("etcd", openDirectly, modelSeeds(1));

async function openDirectly() {
  const storage = await EtcdStorage.open({ endpoints: cluster.endpoints, compactIntervalMs: 0 });
  return {
    storage,
    // etcd has its own clock: its leases expire in real time.
    passTime: (ms: number) => systemClock.sleep(ms),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}

for (const seed of modelSeeds(3)) {
  test(`etcd storage behaves as the model while connections break, seed ${seed}`, {
    timeout: 120_000,
  }, async () => {
    await using proxy = await TcpProxy.start(new URL(cluster.endpoints[0] ?? ""));
    const endpoints = [`http://127.0.0.1:${proxy.port}`];
    await using storage = await EtcdStorage.open({ endpoints, compactIntervalMs: 0 });
    const fault = async (): Promise<void> => proxy.breakOnce();
    const prefix = `/registry/broken/${seed}/`;
    await compareWithModel(storage, { seed, steps: 500, prefix, fault });
  });
}
