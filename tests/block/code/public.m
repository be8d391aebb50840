%% maximum_power_point: voltage current
function [duty, gain] = f(voltage, current)
  % A tracker of the maximum power point: it goes on in its direction while the power rises, and turns where it falls.
  persistent last direction level
  if isempty(level)
    last = struct('power', 1, 'voltage', 0);
    direction = -1;
    level = 0.4;
  end
  power = voltage * current;
  gain = power - last.power;
  if abs(gain) > 1e-6 * max(abs(power), 1)
    if gain < 0
      direction = -direction;
    end
    width = 0.02 * min(1, abs(gain) / (0.5 + abs(voltage - last.voltage)));
    level = min(max(level + direction * width, 0.1), 0.9);
  end
  last.power = power;
  last.voltage = voltage;
  duty = level;
end
%% attitude_filter ~1e-13: gyro(3) acc(3)
function [roll, pitch, yaw] = f(gyro, acc) %#codegen
  % A complementary filter of a drone, with quaternions.
  coder.inline('never');
  persistent q
  if isempty(q)
    q = [1; 0; 0; 0];
  end
  dt = 0.01;
  beta = 0.1;
  if ~all(acc == 0)
    a = acc / norm(acc);
    F = [2*(q(2)*q(4) - q(1)*q(3)) - a(1)
         2*(q(1)*q(2) + q(3)*q(4)) - a(2)
         2*(0.5 - q(2)^2 - q(3)^2) - a(3)];
    J = [-2*q(3), 2*q(4), -2*q(1), 2*q(2)
          2*q(2), 2*q(1),  2*q(4), 2*q(3)
          0,     -4*q(2), -4*q(3), 0];
    step = J' * F;
    step = step / max(norm(step), eps);
  else
    step = zeros(4, 1);
  end
  w = [0; gyro];
  qDot = 0.5 * multiply(q, w) - beta * step;
  q = q + qDot * dt;
  q = q / norm(q);
  roll = atan2(2*(q(1)*q(2) + q(3)*q(4)), 1 - 2*(q(2)^2 + q(3)^2));
  pitch = asin(max(-1, min(1, 2*(q(1)*q(3) - q(4)*q(2)))));
  yaw = atan2(2*(q(1)*q(4) + q(2)*q(3)), 1 - 2*(q(3)^2 + q(4)^2));
end
function ab = multiply(a, b)
  ab = [a(1)*b(1) - a(2)*b(2) - a(3)*b(3) - a(4)*b(4)
        a(1)*b(2) + a(2)*b(1) + a(3)*b(4) - a(4)*b(3)
        a(1)*b(3) - a(2)*b(4) + a(3)*b(1) + a(4)*b(2)
        a(1)*b(4) + a(2)*b(3) - a(3)*b(2) + a(4)*b(1)];
end
%% state_of_charge ~1e-12: current voltage
function [soc, v_est, p_trace] = f(current, voltage)
  % An extended Kalman filter of a battery with one RC pair.
  persistent x P
  if isempty(x)
    x = [0.8; 0];
    P = diag([1e-2 1e-4]);
  end
  Ts = 1; Q = 2.3 * 3600; R0 = 0.015; R1 = 0.01; C1 = 2400;
  a = exp(-Ts / (R1 * C1));
  A = [1 0; 0 a];
  B = [-Ts / Q; R1 * (1 - a)];
  x = A * x + B * current;
  P = A * P * A' + diag([1e-8 1e-6]);
  ocv = polyval([0.35 -0.62 0.9 3.2], x(1));
  slope = polyval([3 * 0.35, -2 * 0.62, 0.9], x(1));
  C = [slope, -1];
  v_est = ocv - x(2) - R0 * current;
  S = C * P * C' + 1e-3;
  K = P * C' / S;
  x = x + K * (voltage - v_est);
  P = (eye(2) - K * C) * P;
  x(1) = min(max(x(1), 0), 1);
  soc = x(1);
  p_trace = trace(P);
end
%% vehicle_guidance ~1e-12: x y
function [psi_d, e, k] = f(x, y)
  % Line of sight along waypoints, with the angle kept within half a turn.
  persistent wp
  if isempty(wp)
    wp = 1;
  end
  X = [0 4 8 3 -5];
  Y = [0 2 -6 -7 1];
  n = length(X);
  k = wp;
  alpha = atan2(Y(k + 1) - Y(k), X(k + 1) - X(k));
  R = [cos(alpha) -sin(alpha); sin(alpha) cos(alpha)];
  p = R' * [x - X(k); y - Y(k)];
  d = sqrt((X(k + 1) - X(k))^2 + (Y(k + 1) - Y(k))^2);
  if (d - p(1) < 2) && (k < n - 1)
    wp = wp + 1;
  end
  e = p(2);
  psi_d = wrapped(alpha - atan(0.3 * e) + 2 * pi);
end
function a = wrapped(a)
  while a > pi
    a = a - 2 * pi;
  end
  while a < -pi
    a = a + 2 * pi;
  end
end
%% motor_mixer: thrust torque(3)
function [pwm, saturated] = f(thrust, torque)
  % The four motors of a quadrotor, with a limit for each.
  kf = 1.2e-3; km = 2.1e-5; arm = 0.17;
  M = [kf kf kf kf
       0 -kf*arm 0 kf*arm
       kf*arm 0 -kf*arm 0
       -km km -km km];
  w2 = M \ [abs(thrust); torque * 1e-3];
  pwm = zeros(4, 1, 'uint16');
  saturated = false;
  for m = 1:4
    if w2(m) < 0
      w2(m) = 0;
      saturated = true;
    elseif w2(m) > 1500
      w2(m) = 1500;
      saturated = true;
    end
    pwm(m) = 1000 + sqrt(w2(m)) * 25;
  end
  saturated = double(saturated);
end
%% field_oriented_control ~1e-13: ia ib theta
function [ud, uq, duty] = f(ia, ib, theta)
  % Currents of a motor in the frame of the rotor, two controllers, and space vector modulation.
  persistent integral
  if isempty(integral), integral = zeros(2, 1); end
  p = struct('kp', 2.5, 'ki', 40, 'Ts', 1e-4, 'limit', 24);
  clarke = [1 0; 1/sqrt(3) 2/sqrt(3)];
  park = [cos(theta) sin(theta); -sin(theta) cos(theta)];
  i_dq = park * (clarke * [ia; ib]);
  e = [0; 3] - i_dq;
  integral = integral + p.ki * p.Ts * e;
  u = p.kp * e + integral;
  len = norm(u);
  if len > p.limit
    u = u * p.limit / len;
    integral = integral - p.ki * p.Ts * e;
  end
  ud = u(1);
  uq = u(2);
  ab = park' * u;
  v = [ab(1), -ab(1)/2 + sqrt(3)/2*ab(2), -ab(1)/2 - sqrt(3)/2*ab(2)];
  shift = (max(v) + min(v)) / 2;
  duty = min(max((v - shift) / 48 + 0.5, 0), 1);
end
%% tyre ~1e-13: slip Fz
function [Fx, mu] = f(slip, Fz)
  % The magic formula of a tyre.
  B = 10; C = 1.9; D = 1; E = 0.97;
  if Fz <= 0
    Fx = 0;
    mu = 0;
    return
  end
  s = max(-1, min(1, slip));
  mu = D * sin(C * atan(B*s - E*(B*s - atan(B*s))));
  Fx = mu * Fz;
end
%% gear_shift: speed throttle
function gear = f(speed, throttle)
  % A shift logic with hysteresis, and a delay in steps.
  persistent g wait
  if isempty(g)
    g = int8(1);
    wait = uint8(0);
  end
  up = [1 2 3.5 5];
  down = [0.5 1.2 2.5 4];
  v = abs(speed) * 2;
  if wait > 0
    wait = wait - 1;
  else
    switch g
      case 1
        if v > up(1) + throttle * 0.1, g = int8(2); wait = uint8(1); end
      case {2, 3}
        if v > up(g) + throttle * 0.1
          g = g + 1;
          wait = uint8(1);
        elseif v < down(g - 1)
          g = g - 1;
        end
      otherwise
        if v < down(3)
          g = int8(3);
        end
    end
  end
  gear = double(g);
end
%% median_filter: u
function [y, count] = f(u)
  % The median of the last five values.
  persistent buffer n
  if isempty(buffer)
    buffer = zeros(1, 5);
    n = 0;
  end
  buffer = [u, buffer(1:end-1)];
  n = min(n + 1, 5);
  window = buffer;
  for i = 1:4
    for j = i+1:5
      if window(j) < window(i)
        t = window(i);
        window(i) = window(j);
        window(j) = t;
      end
    end
  end
  y = window(3);
  count = n;
end
%% inverse_kinematics ~1e-11: x y
function [q, iterations, reached] = f(x, y)
  % Newton's method with damping for an arm of two links.
  l = [1.1 0.8];
  q = [0.4; 0.9];
  target = [x; y] / 8 + [0.6; 0.5];
  iterations = 0;
  reached = 0;
  while iterations < 25 && ~reached
    s1 = sin(q(1)); c1 = cos(q(1)); s12 = sin(q(1) + q(2)); c12 = cos(q(1) + q(2));
    p = [l(1)*c1 + l(2)*c12; l(1)*s1 + l(2)*s12];
    J = [-l(1)*s1 - l(2)*s12, -l(2)*s12; l(1)*c1 + l(2)*c12, l(2)*c12];
    e = target - p;
    q = q + (J' * J + 1e-6 * eye(2)) \ (J' * e);
    iterations = iterations + 1;
    reached = norm(e) < 1e-9;
  end
  reached = double(reached);
end
%% joint_torques ~1e-13: q(6) v(6)
function tau = f(q, v) %#codegen
  % A part of the torques of an arm, as code generators write it, with a check of the sizes in front.
  assert(isreal(q) && isequal(size(q), [6 1]), 'six joint angles are needed');
  c1 = cos(q(1)); s2 = sin(q(2)); w = c1 * s2;
  first = w ^ 2 + v(3) * c1;
  unused = coder.nullcopy(zeros(6, 1));
  tau = [first; w; -s2; v(1:2) .* q(5:6); sum(v' .* q')];
end
