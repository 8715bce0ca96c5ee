// The ground plane: one-metre tiles that go on for ever, at any slope.
import * as THREE from "three";
import type { Shape } from "./model";
import { placeShape } from "./shapes";
import type { Theme } from "./theme";

const tile = 2; // m covered by one picture of 2 x 2 squares

function paint(canvas: HTMLCanvasElement, theme: Theme): void {
  const size = canvas.width;
  const half = size / 2;
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = theme.ground;
  pen.fillRect(0, 0, size, size);
  pen.fillStyle = theme.groundAlternate;
  pen.fillRect(0, 0, half, half);
  pen.fillRect(half, half, half, half);
  pen.fillStyle = theme.groundLine;
  for (const at of [0, half]) {
    pen.fillRect(at - 1, 0, 2, size);
    pen.fillRect(0, at - 1, size, 2);
  }
}

export class Ground {
  readonly object = new THREE.Group();
  private readonly canvas = document.createElement("canvas");
  private readonly texture: THREE.CanvasTexture;
  private readonly plane: THREE.Mesh;
  private readonly infinite: boolean;

  constructor(shape: Shape, theme: Theme) {
    this.infinite = !shape.size[0] || !shape.size[1];
    const width = 2 * (shape.size[0] || 80);
    const depth = 2 * (shape.size[1] || 80);
    this.canvas.width = this.canvas.height = 512;
    this.texture = new THREE.CanvasTexture(this.canvas);
    this.texture.wrapS = this.texture.wrapT = THREE.RepeatWrapping;
    this.texture.repeat.set(width / tile, depth / tile);
    this.texture.anisotropy = 8;
    this.texture.colorSpace = THREE.SRGBColorSpace;
    this.plane = new THREE.Mesh(
      new THREE.PlaneGeometry(width, depth),
      new THREE.MeshLambertMaterial({ map: this.texture }),
    );
    this.plane.receiveShadow = true;
    placeShape(this.object, shape);
    this.object.add(this.plane);
    this.setTheme(theme);
  }

  setTheme(theme: Theme): void {
    paint(this.canvas, theme);
    this.texture.needsUpdate = true;
  }

  // An infinite plane stays under the camera, in whole tiles so that nobody sees it move.
  follow(target: THREE.Vector3): void {
    if (!this.infinite) return;
    const local = this.object.worldToLocal(target.clone());
    this.plane.position.set(Math.round(local.x / tile) * tile, Math.round(local.y / tile) * tile, 0);
  }
}
