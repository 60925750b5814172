import type { Controller } from "#/controller/controller.ts";
import { snapshotFinisher, volumeFinisher } from "./local-objects.ts";
import { provisioner } from "./provisioner.ts";
import { reclaimer } from "./reclaimer.ts";

/** The controllers of the volumes of all nodes. */
export const clusterControllers: readonly Controller<unknown>[] = [
  provisioner,
  reclaimer,
  volumeFinisher,
  snapshotFinisher,
];
