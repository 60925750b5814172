import type { Cause } from "../../base/cause.ts";
import { attacherSilent } from "./attacher-silent.ts";
import { csiDriverAbsent } from "./driver-absent.ts";
import { volumeFileSystem } from "./filesystem.ts";
import { hostPathType } from "./host-path.ts";
import { volumeKeyMissing } from "./key-missing.ts";
import { localPathMissing } from "./local-path.ts";
import { volumeMode } from "./mode.ts";
import { mountFailed } from "./mount-failed.ts";
import { multiAttach } from "./multi-attach.ts";
import { volumeNoSpace } from "./no-space.ts";
import { objectNotRegistered } from "./object-not-registered.ts";
import { volumePluginAbsent } from "./plugin-absent.ts";
import { volumeServer } from "./remote.ts";
import { volumeSourceMissing } from "./source-missing.ts";
import { subPathKey } from "./sub-path-key.ts";
import { tokenRefused } from "./token.ts";

/** Of a group the first that applies counts. */
export const volumeCauses: readonly Cause[] = [
  volumeMode,
  tokenRefused,
  volumeSourceMissing,
  volumeKeyMissing,
  objectNotRegistered,
  hostPathType,
  csiDriverAbsent,
  volumePluginAbsent,
  attacherSilent,
  multiAttach,
  volumeServer,
  localPathMissing,
  volumeNoSpace,
  volumeFileSystem,
  mountFailed,
  subPathKey,
];
