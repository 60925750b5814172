/** Upstream: staging/src/k8s.io/cloud-provider/names/controller_names.go, …/app/controllermanager.go. */
import type { Controller } from "#/controller/controller.ts";
import type { CloudOptions } from "../base/cloud-options.ts";
import { cloudNodeController } from "./cloud-node/cloud-node.ts";
import { cloudNodeLifecycleController } from "./node-lifecycle/cloud-node-lifecycle.ts";
import { nodeRouteController } from "./route/node-route.ts";
import { serviceLbController } from "./service/service-lb.ts";

/** A controller of the manager. */
interface ControllerEntry {
  readonly controller: Controller<CloudOptions>;
  /** Its name in earlier versions. */
  readonly alias: string;
  /** Its service account, to which the bootstrap policy binds its role. */
  readonly account: string;
}

/** The controllers that every provider has, in upstream's order. */
export const controllerEntries: readonly ControllerEntry[] = [
  { controller: cloudNodeController, alias: "cloud-node", account: "node-controller" },
  {
    controller: cloudNodeLifecycleController,
    alias: "cloud-node-lifecycle",
    account: "node-controller",
  },
  { controller: serviceLbController, alias: "service", account: "service-controller" },
  { controller: nodeRouteController, alias: "route", account: "route-controller" },
];
