"""The equations of PHYSICS 3 written out GPU by GPU, for a stiff solver of scipy to integrate."""

from dataclasses import dataclass

import numpy as np

from twin.physics.thermal_constants import LEAK_CLIP_C, LEAK_REF_C
from twin.physics.thermal_inputs import ThermalInputs
from twin.physics.thermal_network import ThermalNetwork
from twin.physics.thermal_paths import exchanger_w_k, rejection_w_k


@dataclass(frozen=True)
class Oracle:
    """Right-hand side for GPUs with their own spread and leakage; state: 4 per GPU, then the upper nodes."""

    network: ThermalNetwork
    inputs: ThermalInputs
    loop: np.ndarray
    part: np.ndarray
    spread: np.ndarray
    base_w: np.ndarray
    dyn_w: np.ndarray
    leak_w_k: np.ndarray | float = 0.0

    def rate(self, t_s: float, y: np.ndarray) -> np.ndarray:
        net, shape, coefficients = self.network, self.network.shape, self.network.coefficients
        n_gpu, n_loops, n_plants = self.loop.size, shape.n_loops, shape.n_plants
        die, hbm, plate, fluid = y[: 4 * n_gpu].reshape(4, n_gpu)
        upper = y[4 * n_gpu :]
        loop_r, loop_s = upper[:n_loops], upper[n_loops : 2 * n_loops]
        air = upper[2 * n_loops : 2 * n_loops + shape.n_halls]
        plant_r, plant_s = upper[-2 * n_plants : -n_plants], upper[-n_plants:]

        def of(name: str) -> np.ndarray:
            return net.part_table[name][self.part]

        flow = self.inputs.flow.at(t_s)
        phi = flow[self.loop]
        power = self.base_w + self.spread * self.dyn_w
        w = phi * of("flow_w_k")
        q_die = of("g_die_plate_w_k") * (die - plate)
        q_hbm = of("g_hbm_plate_w_k") * (hbm - plate)
        q_fluid = (phi**0.8 * of("g_convection_w_k") + of("g_stagnant_w_k")) * (plate - fluid)
        q_room = of("g_ambient_w_k") * (plate - air[shape.loop_hall[self.loop]])
        leak = self.leak_w_k * (np.clip(die, *LEAK_CLIP_C) - LEAK_REF_C)
        d_die = ((1 - of("hbm_share")) * power + leak - q_die) / of("die_j_k")
        d_hbm = (of("hbm_share") * power - q_hbm) / of("hbm_j_k")
        d_plate = (q_die + q_hbm - q_fluid - q_room) / of("plate_j_k")
        d_fluid = (q_fluid + w * (loop_s[self.loop] - fluid)) / of("fluid_j_k")

        full = np.bincount(self.loop, w, minlength=n_loops)
        coil = exchanger_w_k(net, flow, self.inputs.plant) * (loop_r - plant_s[shape.loop_plant])
        to_return = np.bincount(self.loop, w * (fluid - loop_r[self.loop]), minlength=n_loops)
        d_r = (to_return + self.inputs.loop_heat_w) / coefficients.loop_return_j_k
        d_s = (full * (loop_r - loop_s) - coil) / coefficients.loop_supply_j_k
        plant_share = self.inputs.plant.plant_flow[shape.hall_plant]
        crah = self.inputs.plant.crah * coefficients.crah_w_k * plant_share
        q_crah = crah * (air - plant_s[shape.hall_plant])
        room = np.bincount(shape.loop_hall[self.loop], q_room, minlength=shape.n_halls)
        d_air = (self.inputs.hall_heat_w + room - q_crah) / coefficients.hall_j_k
        wf = self.inputs.plant.plant_flow * coefficients.plant_flow_w_k
        heat = np.bincount(shape.loop_plant, coil, minlength=n_plants)
        heat = heat + np.bincount(shape.hall_plant, q_crah, minlength=n_plants)
        rejected = rejection_w_k(net, self.inputs.plant) * (plant_r - self.inputs.sink_at(t_s))
        d_fr = (wf * (plant_s - plant_r) + heat) / coefficients.plant_return_j_k
        d_fs = (wf * (plant_r - plant_s) - rejected) / coefficients.plant_supply_j_k
        chain = np.concatenate([d_die, d_hbm, d_plate, d_fluid])
        return np.concatenate([chain, d_r, d_s, d_air, d_fr, d_fs])
