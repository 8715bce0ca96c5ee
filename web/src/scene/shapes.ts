// A body's shapes as three.js meshes, true to size.
import * as THREE from "three";
import type { Shape } from "./model";

export function geometryOf(shape: Shape): THREE.BufferGeometry {
  const [a, b, c] = shape.size;
  switch (shape.type) {
    case "sphere":
      return new THREE.SphereGeometry(a, 24, 16);
    case "capsule":
      return new THREE.CapsuleGeometry(a, 2 * b, 8, 20).rotateX(Math.PI / 2);
    case "cylinder":
      return new THREE.CylinderGeometry(a, a, 2 * b, 28).rotateX(Math.PI / 2);
    case "ellipsoid":
      return new THREE.SphereGeometry(1, 28, 20).scale(a, b, c);
    case "box":
      return new THREE.BoxGeometry(2 * a, 2 * b, 2 * c);
    case "plane":
      return new THREE.PlaneGeometry(2 * (a || 60), 2 * (b || 60));
    case "mesh": {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(shape.mesh!.vertices, 3));
      geometry.setIndex(new THREE.BufferAttribute(shape.mesh!.faces, 1));
      geometry.computeVertexNormals();
      return geometry;
    }
  }
}

export function placeShape(mesh: THREE.Object3D, shape: Shape): void {
  mesh.position.set(...shape.position);
  const [w, x, y, z] = shape.rotation;
  mesh.quaternion.set(x, y, z, w);
}
