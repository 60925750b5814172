import type { Cause } from "../../base/cause.ts";
import { imageAccessDenied } from "./access-denied.ts";
import { imageAlwaysPulled } from "./always-pulled.ts";
import { imageDamaged } from "./damaged.ts";
import { imageDiskFull } from "./disk-full.ts";
import { imageInspectFailed } from "./inspect-failed.ts";
import { imageInvalidName } from "./invalid-name.ts";
import { imageNeverPulled } from "./never-pulled.ts";
import { imageNotFound } from "./not-found.ts";
import { imagePlainHttp } from "./plain-http.ts";
import { imagePlatform } from "./platform.ts";
import { imagePullFailed } from "./pull-failed.ts";
import { imagePullSecretMissing } from "./pull-secret-missing.ts";
import { imagePullSecretUseless } from "./pull-secret-useless.ts";
import { imagePullSlow } from "./pull-slow.ts";
import { imageRateLimit } from "./rate-limit.ts";
import { registryCertificate } from "./registry-certificate.ts";
import { registryUnreachable } from "./registry-unreachable.ts";
import { imageShortName } from "./short-name.ts";
import { imageSignature } from "./signature.ts";

/** Of a group the first that applies counts: the specific texts are before the general ones. */
export const imageCauses: readonly Cause[] = [
  imageInvalidName,
  imageNeverPulled,
  imageInspectFailed,
  imageAlwaysPulled,
  imagePullSecretMissing,
  imagePullSecretUseless,
  imageSignature,
  imageRateLimit,
  imagePlatform,
  imageDiskFull,
  imagePlainHttp,
  registryCertificate,
  imageShortName,
  imageAccessDenied,
  registryUnreachable,
  imageNotFound,
  imageDamaged,
  imagePullFailed,
  imagePullSlow,
];
