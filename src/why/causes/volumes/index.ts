import type { Cause } from "../../base/cause.ts";
import { csiDriverAbsent } from "./driver-absent.ts";
import { volumeFileSystem } from "./filesystem.ts";
import { hostPathType } from "./host-path.ts";
import { volumeKeyMissing } from "./key-missing.ts";
import { localPathMissing } from "./local-path.ts";
import { mountFailed } from "./mount-failed.ts";
import { multiAttach } from "./multi-attach.ts";
import { objectNotRegistered } from "./object-not-registered.ts";
import { volumeServer } from "./remote.ts";
import { volumeSourceMissing } from "./source-missing.ts";
import { tokenRefused } from "./token.ts";

/** Of a group the first that applies counts. */
export const volumeCauses: readonly Cause[] = [
  tokenRefused,
  volumeSourceMissing,
  volumeKeyMissing,
  objectNotRegistered,
  hostPathType,
  csiDriverAbsent,
  multiAttach,
  volumeServer,
  localPathMissing,
  volumeFileSystem,
  mountFailed,
];
