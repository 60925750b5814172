import { after, before } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { EtcdCluster } from "#/testing/etcd-cluster.ts";
import { storageContract } from "../contract/storage.contract.ts";
import { EtcdStorage } from "./etcd-storage.ts";

let cluster: EtcdCluster;
before(async () => {
  cluster = await EtcdCluster.start();
});
after(() => cluster[Symbol.asyncDispose]());

storageContract("etcd", async () => {
  const storage = await EtcdStorage.open({ endpoints: cluster.endpoints });
  return {
    storage,
    // etcd has its own clock: its leases expire in real time.
    passTime: (ms) => systemClock.sleep(ms),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
});
