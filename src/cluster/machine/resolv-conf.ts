import { readFileSync } from "node:fs";
import { chooseResolvConf } from "./choose-resolv-conf.ts";

/** The current resolv.conf of this machine. */
export const findResolvConf = (): string =>
  chooseResolvConf((path) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return undefined; // A missing file has no servers.
    }
  });
