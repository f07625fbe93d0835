#ifndef MESSAGESTORE_CNATS_SHIM_H
#define MESSAGESTORE_CNATS_SHIM_H

#include <nats/nats.h>

#endif
