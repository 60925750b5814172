import type { Controller } from "#/controller/controller.ts";
import { snapshotFinisher, volumeFinisher } from "./local-objects.ts";
import { provisioner } from "./provisioner.ts";
import { reclaimer } from "./reclaimer.ts";
import { resizer } from "./resizer.ts";
import { snapshotController } from "./snapshot-controller.ts";
import { snapshotter } from "./snapshotter.ts";

/** The controllers of the volumes of all nodes. */
export const clusterControllers: readonly Controller<unknown>[] = [
  provisioner,
  reclaimer,
  resizer,
  snapshotController,
  snapshotter,
  volumeFinisher,
  snapshotFinisher,
];
