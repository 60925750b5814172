import type { FlagValues } from "#/std/flags/flags.ts";
import type { OpenProvider } from "../base/provider-context.ts";
import { addressController } from "./address-controller.ts";
import { AddressPool } from "./address-pool.ts";
import type { localFlags } from "./flags.ts";
import { LocalBalancers } from "./local-balancers.ts";
import { localhostController } from "./localhost-controller.ts";

type LocalFlags = FlagValues<typeof localFlags>;

/** The provider of a cluster without a cloud. It knows no instances: kubelets describe their nodes themselves. */
export const openLocal: OpenProvider = async (config, { flags, informers }) => {
  if (config.trim() !== "") {
    throw new Error("the provider local has no configuration file: leave out --cloud-config");
  }
  const given = flags as LocalFlags;
  const loadBalancers = new LocalBalancers(new AddressPool(given["lb-pool"]), informers);
  const localhost = given["lb-localhost"] ? [localhostController(given["lb-localhost-netns"])] : [];
  return {
    name: "local",
    hasClusterId: true,
    loadBalancers,
    controllers: [addressController(loadBalancers), ...localhost],
  };
};
