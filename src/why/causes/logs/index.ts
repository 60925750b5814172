import type { Cause } from "../../base/cause.ts";
import { logApiForbidden } from "./api-forbidden.ts";
import { logArchitecture } from "./architecture.ts";
import { logCertificate } from "./certificate.ts";
import { logConfiguration } from "./configuration.ts";
import { logConnection } from "./connection.ts";
import { logCredentials } from "./credentials.ts";
import { logDatabase } from "./database.ts";
import { logDenied } from "./denied.ts";
import { logDiskFull } from "./disk-full.ts";
import { logInotify } from "./inotify.ts";
import { logInterpreter } from "./interpreter.ts";
import { logKernelSetting } from "./kernel-setting.ts";
import { logMemory } from "./memory.ts";
import { logMissingFile } from "./missing-file.ts";
import { logName } from "./name.ts";
import { logOpenFiles } from "./open-files.ts";
import { logOwnError } from "./own-error.ts";
import { logPermission } from "./permission.ts";
import { logPortInUse } from "./port-in-use.ts";
import { logReadOnly } from "./read-only.ts";
import { logThreads } from "./threads.ts";

/** What the last lines of a crashing container's log suggest, the specific before the general. */
export const logCauses: readonly Cause[] = [
  logArchitecture,
  logInterpreter,
  logApiForbidden,
  logKernelSetting,
  logReadOnly,
  logInotify,
  logDiskFull,
  logMemory,
  logPortInUse,
  logOpenFiles,
  logThreads,
  logCertificate,
  logCredentials,
  logDatabase,
  logDenied,
  logName,
  logConnection,
  logPermission,
  logMissingFile,
  logConfiguration,
  logOwnError,
];
