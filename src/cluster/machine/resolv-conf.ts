import { readFileSync } from "node:fs";
import { chooseResolvConf } from "./choose-resolv-conf.ts";

/** The file to use on this machine now. */
export const findResolvConf = (): string =>
  chooseResolvConf((path) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return undefined; // Without it there are no servers.
    }
  });
