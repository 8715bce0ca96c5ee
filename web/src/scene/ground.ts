// The ground plane: one-metre tiles that go on for ever, at any slope.
import * as THREE from "three";
import type { Shape } from "./model";
import { placeShape } from "./shapes";
import type { Theme } from "./theme";

// The tiles are computed, not sampled from a picture: sharp near by, and quick without a graphics card too. A checker
// is the product of two square waves; averaged over the pixel (width w) a square wave is the difference of its integral,
// a triangle wave, at both ends. So tiles fade to their mean in the distance instead of flickering.
const tiles = /* glsl */ `
  vec2 w = max(fwidth(vGround), vec2(1e-4));
  vec2 low = vGround - 0.5 * w, high = vGround + 0.5 * w;
  vec2 wave = (abs(fract(0.5 * high) - 0.5) - abs(fract(0.5 * low) - 0.5)) * 2.0 / w;
  vec2 edge = abs(fract(vGround - 0.5) - 0.5);
  vec2 line = clamp((0.008 + 0.5 * w - edge) / w, 0.0, 1.0) * min(vec2(1.0), 0.016 / w);
  vec3 tile = mix(ground, alternate, 0.5 - 0.5 * wave.x * wave.y);
  diffuseColor.rgb = mix(tile, grid, max(line.x, line.y));`;

export class Ground {
  readonly object = new THREE.Group();
  private readonly plane: THREE.Mesh;
  private readonly infinite: boolean;
  private readonly offset = { value: new THREE.Vector2() };
  private readonly colors = {
    ground: { value: new THREE.Color() },
    alternate: { value: new THREE.Color() },
    grid: { value: new THREE.Color() },
  };

  constructor(shape: Shape, theme: Theme) {
    this.infinite = !shape.size[0] || !shape.size[1];
    const material = new THREE.MeshLambertMaterial();
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.colors, { offset: this.offset });
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nuniform vec2 offset;\nvarying vec2 vGround;")
        .replace("#include <begin_vertex>", "#include <begin_vertex>\nvGround = position.xy + offset;");
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", "#include <common>\nuniform vec3 ground, alternate, grid;\nvarying vec2 vGround;")
        .replace("#include <map_fragment>", tiles);
    };
    this.plane = new THREE.Mesh(
      new THREE.PlaneGeometry(2 * (shape.size[0] || 80), 2 * (shape.size[1] || 80)),
      material,
    );
    this.plane.receiveShadow = true;
    placeShape(this.object, shape);
    this.object.add(this.plane);
    this.setTheme(theme);
  }

  setTheme(theme: Theme): void {
    this.colors.ground.value.set(theme.ground);
    this.colors.alternate.value.set(theme.groundAlternate);
    this.colors.grid.value.set(theme.groundLine);
  }

  // An infinite plane stays under the camera while its tiles stay where they are. Whole pairs of tiles are left out of
  // the offset, which keeps its numbers small on long ways.
  follow(target: THREE.Vector3): void {
    if (!this.infinite) return;
    const local = this.object.worldToLocal(target.clone());
    this.plane.position.set(local.x, local.y, 0);
    this.offset.value.set(local.x % 2, local.y % 2);
  }
}
