import type { Cause } from "../../base/cause.ts";
import { logLibrary } from "../logs/library.ts";
import { commandNotExecutable } from "./command-not-executable.ts";
import { commandNotFound } from "./command-not-found.ts";
import { commandNotFoundInside } from "./command-not-found-inside.ts";
import { completesAtOnce } from "./completes-at-once.ts";
import { configMapMissing } from "./configmap-missing.ts";
import { crash } from "./crash.ts";
import { device } from "./device.ts";
import { keyMissing } from "./key-missing.ts";
import { containerKilled } from "./killed.ts";
import { limitTooSmall } from "./limit-too-small.ts";
import { livenessProbe } from "./liveness.ts";
import { mountOntoFile } from "./mount-onto-file.ts";
import { noCommand } from "./no-command.ts";
import { outOfMemory } from "./out-of-memory.ts";
import { postStart } from "./post-start.ts";
import { postStartSlow } from "./post-start-slow.ts";
import { runAsNonRoot } from "./run-as-non-root.ts";
import { secretMissing } from "./secret-missing.ts";
import { securityProfile } from "./security-profile.ts";
import { startFailed } from "./start-failed.ts";
import { containerStatusUnknown } from "./status-unknown.ts";
import { subPath } from "./sub-path.ts";
import { tokenNotMounted } from "./token-not-mounted.ts";
import { userUnknown } from "./user-unknown.ts";
import { workingDirectory } from "./working-directory.ts";

/** Of a group the first that applies counts: the specific texts are before the general ones. */
export const containerCauses: readonly Cause[] = [
  configMapMissing,
  secretMissing,
  keyMissing,
  runAsNonRoot,
  commandNotFound,
  commandNotExecutable,
  workingDirectory,
  subPath,
  mountOntoFile,
  userUnknown,
  noCommand,
  limitTooSmall,
  securityProfile,
  device,
  postStart,
  postStartSlow,
  startFailed,
  livenessProbe,
  outOfMemory,
  containerStatusUnknown,
  logLibrary,
  tokenNotMounted,
  commandNotFoundInside,
];

/** What the ends of containers mean in general, after what their logs say. */
export const endCauses: readonly Cause[] = [completesAtOnce, containerKilled, crash];
