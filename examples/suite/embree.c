/* embree.c - rays against a sphere of triangles and a field of boxes: building the hierarchy, tracing single
 * rays and packets of 4 and 8. */
#include <embree3/rtcore.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    RINGS = 40,
    RAYS = 48
};

static void add_sphere(RTCDevice device, RTCScene scene, float x, float radius, enum RTCBuildQuality quality)
{
    RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *v = rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof *v,
                                       RINGS * RINGS);
    unsigned *t = rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof *t,
                                          2 * (RINGS - 1) * (RINGS - 1));
    for (int i = 0; i < RINGS; i++)
        for (int k = 0; k < RINGS; k++) {
            float a = 3.1416f * (float)i / (RINGS - 1), b = 6.2832f * (float)k / (RINGS - 1);
            *v++ = x + radius * sinf(a) * cosf(b);
            *v++ = radius * cosf(a);
            *v++ = radius * sinf(a) * sinf(b);
        }
    for (unsigned i = 0; i + 1 < RINGS; i++)
        for (unsigned k = 0; k + 1 < RINGS; k++) {
            unsigned at = i * RINGS + k;
            *t++ = at, *t++ = at + 1, *t++ = at + RINGS;
            *t++ = at + 1, *t++ = at + RINGS + 1, *t++ = at + RINGS;
        }
    rtcSetGeometryBuildQuality(g, quality);
    rtcCommitGeometry(g);
    rtcAttachGeometry(scene, g);
    rtcReleaseGeometry(g);
}

static struct RTCRayHit aim(int i, int k)
{
    struct RTCRayHit r = {.ray = {.org_z = -5,
                                  .dir_x = (float)i / RAYS - 0.5f,
                                  .dir_y = (float)k / RAYS - 0.5f,
                                  .dir_z = 1,
                                  .tfar = INFINITY,
                                  .mask = ~0u},
                          .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    return r;
}

#define TRACE_PACKET(width)                                                                                  \
    static unsigned trace_##width(RTCScene scene, int i)                                                     \
    {                                                                                                        \
        struct RTCRayHit##width p;                                                                           \
        struct RTCIntersectContext context;                                                                  \
        int valid[width] __attribute__((aligned(64)));                                                       \
        unsigned hits = 0;                                                                                   \
        for (int k = 0; k < width; k++) {                                                                    \
            struct RTCRayHit r = aim(i, k * RAYS / width);                                                   \
            valid[k] = -1;                                                                                   \
            p.ray.org_x[k] = r.ray.org_x, p.ray.org_y[k] = r.ray.org_y, p.ray.org_z[k] = r.ray.org_z;        \
            p.ray.dir_x[k] = r.ray.dir_x, p.ray.dir_y[k] = r.ray.dir_y, p.ray.dir_z[k] = r.ray.dir_z;        \
            p.ray.tnear[k] = 0, p.ray.tfar[k] = INFINITY, p.ray.time[k] = 0, p.ray.mask[k] = ~0u,            \
            p.ray.flags[k] = 0;                                                                              \
            p.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID, p.hit.instID[0][k] = RTC_INVALID_GEOMETRY_ID;         \
        }                                                                                                    \
        rtcInitIntersectContext(&context);                                                                   \
        rtcIntersect##width(valid, scene, &context, &p);                                                     \
        for (int k = 0; k < width; k++)                                                                      \
            hits += p.hit.geomID[k] != RTC_INVALID_GEOMETRY_ID;                                              \
        return hits;                                                                                         \
    }
TRACE_PACKET(4)
TRACE_PACKET(8)

int main(void)
{
    RTCDevice device = rtcNewDevice("threads=1");
    RTCScene scene = rtcNewScene(device);
    unsigned hits = 0;
    if (!device || !scene)
        return 1;
    add_sphere(device, scene, 0, 1, RTC_BUILD_QUALITY_MEDIUM);
    add_sphere(device, scene, 1.5f, 0.7f, RTC_BUILD_QUALITY_HIGH);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    rtcCommitScene(scene);
    for (int i = 0; i < RAYS; i++) {
        for (int k = 0; k < RAYS; k++) {
            struct RTCRayHit r = aim(i, k);
            struct RTCIntersectContext context;
            rtcInitIntersectContext(&context);
            rtcIntersect1(scene, &context, &r);
            hits += r.hit.geomID != RTC_INVALID_GEOMETRY_ID;
            rtcOccluded1(scene, &context, &r.ray);
        }
        hits += trace_4(scene, i) + trace_8(scene, i);
    }
    printf("%u hits\n", hits);
    rtcReleaseScene(scene);
    rtcReleaseDevice(device);
    return 0;
}
