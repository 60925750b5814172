/** The name of the driver, in StorageClasses and PersistentVolumes. */
export const driverName = "local.csi.k8ts.dev";
/** The label of Nodes by which a volume names its node. */
export const nodeKey = `topology.${driverName}/node`;
/** Whether a volume cannot use more than its size: in the attributes of PersistentVolumes. */
export const enforcedKey = `${driverName}/size-enforced`;
