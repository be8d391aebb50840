%% scalars: a b
function y = f(a, b)
  y = a + b * 2 - a / 4 + (-a)^2 - 2^-1 + -2^2;
end
%% powers_from_the_left: a
function [y, z] = f(a)
  y = 2^3^2 + a;
  z = -2^2 * a;
end
%% relations: a b
function y = f(a, b)
  y = [a < b, a <= b, a > b, a >= b, a == b, a ~= b, ~a, !b, a && b, a || b, xor(a > 0, b > 0)];
end
%% branches: a b
function y = f(a, b)
  if a > b
    y = 1;
  elseif a == b
    y = 2;
  elseif a < -1 && b > 1
    y = 3;
  else
    y = 4;
  end
end
%% nested_branches: a b
function [y, z] = f(a, b)
  z = 10;
  if a > 0
    if b > 0
      y = 1; z = z + a;
    else
      y = 2;
      if b < -2, z = -1; end
    end
  else
    y = 3 + b;
  end
end
%% early_return: a b
function y = f(a, b)
  y = 0;
  if a < 0
    y = -1;
    return
  end
  y = y + a;
  if b < 0
    return;
  end
  y = y * 2 + b;
end
%% break_in_the_run: u(5)
function [y, k] = f(u)
  y = 0;
  for k = 1:5
    if u(k) < 0
      break;
    end
    y = y + u(k);
  end
end
%% continue_in_the_run: u(6)
function y = f(u)
  y = 1;
  for k = 1:numel(u)
    if u(k) == 0, continue; end
    y = y * u(k);
    if y > 100, continue, end
    y = y + 1;
  end
end
%% return_from_a_loop: u(6)
function y = f(u)
  y = -1;
  for k = 1:6
    if u(k) > 2
      y = k;
      return
    end
  end
end
%% nested_loops: a
function y = f(a)
  y = 0;
  for i = 1:3
    for j = i:4
      if j == 3 && a > 0
        break
      end
      y = y + i * j;
    end
  end
end
%% loops_over_other_things: u(3)
function y = f(u)
  y = 0;
  for x = u'
    y = 2 * y + x;
  end
  for x = [1 2; 3 4]
    y = y + x(1) * x(2);
  end
  for x = 10:-3:1
    y = y + x;
  end
  for x = []
    y = 1e9;
  end
end
%% known_while: a
function [y, n] = f(a)
  n = 0; y = a;
  while n < 5
    n = n + 1;
    if n == 2, continue; end
    y = y + n;
  end
  while true
    n += 1;
    if n > 8
      break
    end
  end
end
%% switch_numbers: a
function y = f(a)
  switch round(a)
    case 1
      y = 10;
    case {2, 3}
      y = 20;
    case -1
      y = 30;
    otherwise
      y = 40;
  end
end
%% switch_texts: a
function y = f(a)
  mode = 'fast';
  switch mode
    case {'slow', 'off'}
      y = a;
    case 'fast'
      y = 2 * a;
  end
  if strcmp(mode, 'fast') && ~strcmp(mode, "slow")
    y = y + 1;
  end
end
%% counters: u
function [y, n] = f(u)
  persistent total count
  if isempty(total)
    total = 0;
    count = 0;
  end
  total = total + u;
  count++;
  y = total;
  n = count;
end
%% delay_line: u
function y = f(u)
  persistent buffer;
  if isempty(buffer), buffer = zeros(1, 4); end
  y = buffer(4) + 2 * buffer(1);
  buffer = [u, buffer(1:end-1)];
end
%% initial_value_from_an_input: u
function y = f(u)
  persistent last
  if isempty(last)
    last = u;
  end
  y = u - last;
  last = u;
end
%% reset_or_first: u r
function y = f(u, r)
  persistent x
  if isempty(x) || r > 1
    x = 5;
  end
  x = x + u;
  y = x;
end
%% not_empty: u
function y = f(u)
  persistent x
  if ~isempty(x)
    y = x;
  else
    y = -7;
    x = 3;
  end
  x = x + u;
end
%% vectors: u(3)
function [y, z] = f(u)
  v = [1 -2, 3];
  y = v .* u' + 2;
  z = u ./ [1; 2; 4] - u.^2;
end
%% expansion: u(3)
function y = f(u)
  y = u + [1 2];
  y(2, :) = y(2, :) * 2;
end
%% matrices: u(4)
function [y, s] = f(u)
  A = reshape(u, 2, 2);
  y = [A, A'; 1 2 3 4];
  s = size(y);
end
%% indexing: u(6)
function [a, b, c, d, e] = f(u)
  M = reshape(u, 2, 3);
  a = M(2, :);
  b = M(:, end);
  c = M(:)';
  d = M(end, 1:2:3);
  e = M([1 2 6]);
end
%% assignments: u(3)
function [x, M] = f(u)
  x = zeros(1, 3);
  x(2) = u(1);
  x(end + 1) = u(2);
  x([1 3]) = [u(3), -u(3)];
  M = eye(2);
  M(1, :) = u(1:2)';
  M(3, 3) = 7;
  M(:, 2) = 1;
end
%% growth: u(3)
function y = f(u)
  y = [];
  for k = 1:3
    y = [y, u(k), k];
  end
  y(end) = [];
end
%% masks: u(5)
function y = f(u)
  y = u;
  y(y < 0) = 0;
  y(y > 3) = 3;
  v = 1:5;
  y(v > 4) = -1;
  w = v(v ~= 2 & v < 5);
  y(1) = sum(w);
end
%% index_in_the_run: u(4) k
function [y, z] = f(u, k)
  i = min(max(round(abs(k)), 1), 4);
  y = u(i);
  z = u;
  z(i) = 100;
end
%% row_in_the_run: u(4) k
function [y, z] = f(u, k)
  M = reshape(u, 2, 2);
  i = 1 + (k > 0);
  y = M(i, :) + M(2, i);
  z = M;
  z(i, 1) = 50;
end
%% reductions: u(6)
function [a, b, c, d, e, g] = f(u)
  M = reshape(u, 2, 3);
  a = sum(M);
  b = sum(M, 2)';
  c = [sum(u), prod(u), min(u), max(u), mean([1 2 3 6])];
  d = cumsum(u)';
  e = [any(u > 4), all(u > -4), nnz(u), numel(u), length(M), ndims(M)];
  g = [max(M); min(M)];
end
%% extremes_with_index: u(5)
function [a, b, c, d] = f(u)
  [a, b] = max(u);
  [c, d] = min(u');
end
%% sorting: u(6)
function [y, i, z] = f(u)
  [y, i] = sort(u);
  z = sort(u', 'descend');
end
%% rounding: a b
function y = f(a, b)
  y = [floor(a), ceil(a), round(a), fix(a), abs(a), sign(a), mod(a, 3), rem(a, 3), mod(7, 4), max(a, b), min(a, b)];
end
%% local_functions: a b
function y = f(a, b)
  [p, q] = both(a, b);
  y = p + 10 * q + once(a);
end
function [p, q] = both(a, b)
  p = a * b;
  if nargout > 1
    q = a - b;
  end
end
function y = once(x)
  if x > 0
    y = 1;
    return
  end
  y = twice(x);
end
function y = twice(x)
  y = 2 * x;
end
%% recursion: a
function y = f(a)
  y = fact(5) * a;
end
function y = fact(n)
  if n <= 1
    y = 1;
  else
    y = n * fact(n - 1);
  end
end
%% shadowed_constants: e pi
function y = f(e, pi)
  y = e + 2 * pi + eps * 0;
end
%% comments: a
function y = f(a) % the result
  # another comment
  %{
  a block of
  comments
  %}
  y = a + ... continued here
      1;
  s = 'it''s % no comment';
  y = y + length(s); % 16
end
%% statements_in_one_line: a b
function y = f(a, b), y = a; if b > 0, y = y + 1; else, y = y - 1; end, y = y * 2; end
%% signs_in_brackets: a b
function y = f(a, b)
  y = [a -b; a - b, -1; a' b'; (a) (b)];
end
%% matrix_products ~1e-14: u(4)
function [y, z] = f(u)
  A = [1 2; 3 4];
  B = reshape(u, 2, 2);
  y = A * B + B' * A;
  z = [A * u(1:2); B * [1; -1]];
end
%% solving ~1e-12: u(3)
function [x, y, d] = f(u)
  A = [4 1 0; 1 5 2; 0 2 6];
  x = A \ u;
  y = u' / A;
  d = det(A) + trace(inv(A));
end
%% matrix_powers ~1e-13: a
function y = f(a)
  A = [1 a; 0 2];
  y = A^3 + 2 * A^0 + [2 0; 0 4]^-1;
end
%% elementary ~4e-16: a b
function y = f(a, b)
  y = [sin(a), cos(a), exp(a / 8), log(abs(a) + 1), sqrt(abs(b)), atan2(a, b), tanh(a), hypot(a, b), log10(3 + abs(a)), asin(a / 10)];
end
%% degrees ~1e-15: a
function y = f(a)
  y = [deg2rad(a), rad2deg(a), sind(10 + a), cosd(20 + a)];
end
%% vector_functions ~1e-14: u(3)
function [n, c, k, p] = f(u)
  v = [1; -2; 3];
  n = [norm(u), norm(u, 1), norm(u, inf), dot(u, v), mean(u), var(u), std(u), median(u), sumsq(u)];
  c = cross(u, v);
  k = kron([1 2], u');
  p = polyval([1 -2 3], u(1));
end
%% shapes: u(4)
function [a, b, c, d, e] = f(u)
  M = reshape(u, 2, []);
  a = repmat(M, 1, 2);
  b = fliplr(M);
  c = flipud(M);
  d = diag(M)' + diag(diag(u(1:2)))';
  e = [triu(M); tril(M)];
end
%% moves: u(5)
function [a, b, c] = f(u)
  a = circshift(u, 2)';
  b = diff(u)';
  c = linspace(0, 1, 3);
end
%% structures: a b
function y = f(a, b)
  p.gain = a;
  p.motor.speed = b + 1;
  p.motor.speed = p.motor.speed * 2;
  q = p;
  p.gain = 0;
  r.inner = q;
  y = q.gain + p.motor.speed + r.inner.motor.speed;
end
%% sizes: u(3)
function y = f(u)
  [r, c] = size(u);
  y = [r, c, size(u, 1), size(u, 2), isscalar(r), isvector(u), isempty([]), columns(u), rows(u'), isequal(u, u)];
end
%% functions_for_operators: a b
function y = f(a, b)
  y = [plus(a, b), minus(a, b), times(a, b), and(a > 0, b > 0), or(a > 0, b > 0), not(a > 0), lt(a, b), eq(a, b)];
end
%% logical_values: a b
function y = f(a, b)
  t = true;
  c = a > 0 & ~(b > 1) | false;
  y = [t, c, islogical(c), islogical(a), logical(a), double(c) + 1];
end
%% constants: a
function y = f(a)
  y = [pi, inf, -Inf, eps, realmax, a * zeros(1, 2), ones(1, 2), true(1, 2)];
end
%% first_index: u(4)
function y = f(u)
  y = find([0 0 1 1 0], 1) + numel(find([1 0 1]));
  k = find(u == max(u), 1);
  y = [y, k];
end
%% saturated_integrator: e
function [u, sat] = f(e)
  persistent x;
  if isempty(x)
    x = 0;
  end
  kp = 2; ki = 0.5; dt = 0.125;
  v = kp * e + x;
  u = max(-3, min(3, v));
  sat = u ~= v;
  if ~sat || e * x < 0
    x = x + ki * e * dt;
  end
end
%% bubble_sort: u(5)
function u = f(u)
  n = length(u);
  for i = 1:n-1
    for j = 1:n-i
      if u(j) > u(j+1)
        h = u(j); u(j) = u(j+1); u(j+1) = h;
      end
    end
  end
end
%% newton: a
function x = f(a)
  x = 1;
  for k = 1:50
    xn = 0.5 * (x + abs(a) / x);
    if abs(xn - x) < 1e-9, break, end
    x = xn;
  end
end
%% order_of_columns: u(6)
function [a, b, c] = f(u)
  M = reshape(u, 2, 3);
  M(3) = 10;
  M(M > 4) = 4;
  a = M;
  b = M([true false], [3 1]);
  c = M(logical([1 0 1; 0 1 0]))';
end
%% long_chain: a
function y = f(a)
  if a < -2, y = 1; elseif a < -1, y = 2; elseif a < 0, y = 3; elseif a < 0.2, y = 4; elseif a < 1, y = 5;
  elseif a < 2, y = 6; elseif a < 3, y = 7; elseif a < 4, y = 8; else, y = 9; end
end
%% state_in_a_local_function: u
function [y, z] = f(u)
  y = accumulate(u);
  if u > 0
    z = accumulate(1);
  else
    z = 0;
  end
end
function s = accumulate(x)
  persistent total
  if isempty(total), total = 10; end
  total = total + x;
  s = total;
end
%% return_in_the_first_step: u
function y = f(u)
  persistent x
  if isempty(x)
    x = 2;
    y = -1;
    return
  end
  x = x * 2 + u;
  y = x;
end
%% loops_in_branches: a u(4)
function [y, n] = f(a, u)
  n = 0; y = 0;
  if a > 0
    for k = 1:4
      if u(k) > 2, break, end
      if u(k) < -1, continue, end
      y = y + u(k);
      n = n + 1;
    end
  else
    k = 3;
    y = u(k);
  end
  y = y + 10 * k;
end
%% remainders: a b
function y = f(a, b)
  y = [mod(a, 0), mod(-a, 2), rem(-a, 2), mod(a, -2), mod(5, 3), mod(-1, 3), rem(5, -3), mod(0, 5), mod(-0.5, 1), mod(6, 3), mod(b, b + 10)];
end
%% empties: a
function y = f(a)
  e = [];
  z = zeros(0, 3);
  y = [a, sum(e), prod(e), numel(e), isempty(z), size(z, 2), size(1:0, 1), size(1:0, 2), any(e), all(e), isempty(z(:))];
  for k = 1:0
    y = [y, 99];
  end
  if e
    y = -1;
  end
  y = [e, y];
end
%% truths_of_vectors: u(3)
function y = f(u)
  y = 0;
  if u
    y = 1;
  end
  if [1 1 0], y = y + 10; end
  if [1 2; 3 4], y = y + 100; end
  if u > -4, y = y + 1000; end
end
%% precedence: a b
function y = f(a, b)
  y = [1 < 2 < a, ~a == b, -a ^ 2, 2 ^ -1 ^ 2, -2 ^ -1, ~a' + 1, a * b', 1:2 + 1, (1:3) * 2, a - -b, a -+ b, 3 - 2 - 1, 2 / 4 / 2, 1 | 0 & 0, a < b & b < 5 | a > 3, !a + 1, 2 ^ 0.5 ^ 2];
end
%% ends: u(6)
function [y, z] = f(u)
  y = [u(end), u(end - 1), u(min(end, 3)), u(end / 2), numel(u(2:end)), u(1 + (1:2))'];
  M = reshape(u, 3, 2);
  z = [M(end), M(end, 1), M(1, end), M(end - 1, end)];
  z(end + 1) = sum(M(:, end));
end
%% rows_by_lines: a
function y = f(a)
  M = [1, 2
       3, a
       5 6];
  y = M(:, 2)' + [10 ...
    20 30];
end
%% fields_with_elements: a b
function y = f(a, b)
  s.v = zeros(1, 3);
  s.v(2) = a;
  s.v(end) = b;
  s.w.x(3) = 7;
  y = [s.v, s.w.x, numel(s.v)];
end
%% growing_matrices: a
function M = f(a)
  M = [];
  for k = 1:3
    M(:, k) = [k; a];
  end
  M(3, :) = 1;
  M(:, 2) = [];
  M = [M; zeros(1, 2)];
end
%% loops_to_a_result: a b
function y = f(a, b)
  y = 0;
  k = 0;
  while true
    k = k + 1;
    if k > 6, break; end
    if mod(k, 2) == 0, continue; end
    for j = 1:k
      if j > 2, break; end
      y = y + k * 10 + j;
      if a > 2 && j == 2, break, end
    end
    if b > 3 && k > 2, return; end
  end
  y = -y;
end
%% output_arguments_in_part: u(4)
function [y, z] = f(u)
  [~, k] = max(u);
  [m, ~] = min(u);
  [r, c] = size([u u]);
  s = size([u u]);
  y = [k, m, r, c, s];
  [q] = sort(u);
  z = q';
end
%% extremes_along: u(6)
function [a, b, c] = f(u)
  M = reshape(u, 2, 3);
  a = max(M, [], 2)';
  b = min(M, [], 1);
  [c, k] = max(M);
  c = [c; k];
end
%% nested_early_returns: a b
function y = f(a, b)
  y = 1;
  for i = 1:3
    for j = 1:3
      if i * j > abs(a) + 1
        y = y * 10 + i;
        if b > 0
          return
        end
        break
      end
      y = y + j;
    end
    if y > 50, continue, end
    y = y + 0.5;
  end
  y = y + 0.25;
end
%% signs_and_zeros: a
function y = f(a)
  y = [sign(-a), sign(0), abs(-0), fix(-a), round(-2.5), round(0.5), round(-0.4), floor(-0.5), -0 * a, 1 / (a * a + 1)];
end
%% cumulative: u(4)
function [a, b, c, d] = f(u)
  M = reshape(u, 2, 2);
  a = cumsum(M);
  b = cumsum(M, 2);
  c = cumprod(u)';
  d = [cumsum(u'), sum(sum(M)), mean(M), mean(M, 2)'];
end
%% any_and_all: u(4)
function y = f(u)
  M = reshape(u, 2, 2) > 0;
  y = [any(M), all(M), any(any(M)), all(M(:)), any(M, 2)', xor(true, M(1)), nnz(M)];
end
%% not_a_number: a
function [y, s, d, m, k, l] = f(a)
  n = a / 0 - a / 0;
  s = sort([n a 1 n]);
  d = sort([1 n a n], 'descend');
  [m, k] = max([n a 1]);
  [~, l] = min([a n -7]);
  y = [max(n, a), min(a, n), max([n a 1]), min([a n]), n == n, n ~= n, isnan(n), n > a, isinf(a / 0), sign(n), round(n), abs(n)];
end
%% never_set: a
function y = f(a)
  persistent x z
  y = a;
  if isempty(x)
    y = y + 1;
    if isempty(z)
      z = 3;
    end
  end
  if ~isempty(z), y = y + z; z = z + 1; end
end
%% integers_saturate: a b
function [y, z, w] = f(a, b)
  x = int8(a * 40);
  y = [x + x, x * 3, -x, x - 100, abs(int8(-128)), x / int8(3), x / 0, -(x * 2) / 0];
  z = [uint8(b * 60) - uint8(a * 60), uint8(a), uint8(-b), uint8(200) + 100, 3 - uint8(a * 4)];
  w = [int16(2.5), int16(-2.5), int16(3.49999), int32(NaN), int32(inf), int32(-inf), uint16(70000), int8(0) / int8(0)];
end
%% integers_and_doubles: a b
function [y, z] = f(a, b)
  n = int32(a * 1000);
  y = [n * 0.3, n / 7, n * b, 2.5 * int32(3), 10 / int32(4), n ^ 2, int32(2) ^ 40, int16(3) ^ 0.5, n + 0.5];
  z = [n > b, n == round(a * 1000), n < 0.3, max(n, 2.6), min(n, int32(5)), mod(n, 7), rem(n, 7), mod(n, int32(-3)), sign(n)];
end
%% integers_in_matrices: a(3) b
function [y, z, w, c] = f(a, b)
  v = int16([a' * 100, 32767]);
  y = v + [1 2 3 4];
  z = [v, 1.6, -40000];
  w = [sum(v), prod(int8([5 6 7])), cumsum(int8([100 20 30 -50])), cumprod(int8([3 50 2])), sumsq(v), dot(int8([100 2]), int8([2 3]))];
  w = [w, double(diff(uint8([3 1 5]))), double([int8(100) int16(300)])];
  v(2) = b * 1000.7;
  v(6) = 9.5;
  c = [v, sort(v), fliplr(v), v(end:-1:1), max(v), min(v), any(v), all(v)];
end
%% classes: a
function [y, z] = f(a)
  y = [isa(int8(a), 'integer'), isa(single(a), 'float'), isa(a, 'double'), isinteger(a), isfloat(a > 0), isnumeric(a > 0), ...
    isreal(a), islogical(~a), strcmp(class(uint8(a)), 'uint8'), strcmp(class(single(1) + 1), 'single'), ...
    strcmp(class([int8(1) 2]), 'int8'), strcmp(class(true + true), 'double'), strcmp(class(a > 0), 'logical'), ...
    strcmp(class(int8(1) + single(2)), 'int8'), strcmp(class('text'), 'char'), isstruct(a), ...
    strcmp(class(zeros(1, 2, 'int16')), 'int16'), strcmp(class(ones(2, 'like', single(1))), 'single'), ...
    strcmp(class([single(1) a]), 'single'), strcmp(class(max(int8(1), 2)), 'int8'), strcmp(class(int8(3):int8(5)), 'int8')];
  z = [intmax('int8'), intmin('int16')];
end
%% limits_of_classes: a
function [y, z, w] = f(a)
  y = [double(intmax), double(intmin), double(intmax('uint32')), realmax, realmin, eps, flintmax, a];
  z = [realmax('single'), realmin('single'), eps('single'), eps(single(3)), flintmax('single')];
  w = [eps(3), eps(1e6), eps(-0.7)];
end
%% single_precision: a b
function [y, z, w] = f(a, b)
  s = single(a) / 3;
  t = single(b) + 0.1;
  y = [s, t, s + t, s * t, s - t, t / (s + 10), sqrt(abs(s)), -s, abs(t), floor(t * 10), s * 1e-3, 1e10 * t, single(1e39), s + a];
  z = [double(s) + 0.1, s > a / 3, s == single(a) / 3, rem(t, 2), max(s, t), min(s, b), round(t), sign(s)];
  w = double(single([0.1 0.2 0.7])) * 3;
end
%% sums_of_singles ~1e-6: a(3)
function [y, z, w] = f(a)
  v = single(a) / 7;
  y = [sum(v), prod(v), mean(v), cumsum(v)', cumprod(v)', diff(v)', dot(v, v), norm(v)];
  M = single([1 2 3; 4 5 6; 7 8 10]) / 3;
  z = M * v;
  w = [mod(v, single(0.13)); exp(v); sin(v); atan2(v, 1 + v); v .^ 2; hypot(v, 3)];
end
%% singles_in_loops: a
function [y, z] = f(a)
  persistent s n
  if isempty(s)
    s = single(0);
    n = uint8(250);
  end
  for k = 1:5
    s = s + single(a) / k;
    n = n + 1;
  end
  y = s;
  z = n;
end
%% loops_of_integers: a
function [y, z] = f(a)
  y = int16(0);
  for k = int16(1):int16(4)
    y = y + k * a;
  end
  z = zeros(1, 4, 'uint8');
  for k = uint8(1):4
    z(k) = k * 70;
  end
end
%% persistent_integers: a b
function [y, z] = f(a, b)
  persistent count buffer head
  if isempty(count)
    count = uint8(254);
    buffer = zeros(1, 4, 'int16');
    head = uint32(1);
  end
  count = count + 1;
  buffer(head) = a * 1000;
  head = mod(head, 4) + 1;
  y = [double(count), double(head)];
  z = buffer;
end
%% branches_of_integers: a b
function y = f(a, b)
  y = int8(1);
  if a > b
    y = int8(a * 50);
  elseif a < -1
    y = y - 5;
  end
  switch int8(b)
    case 2
      y = y + 10;
    case {3, -3}
      y = y * 2;
    otherwise
      y = -y;
  end
end
%% bits: a b
function [y, z, w] = f(a, b)
  p = uint8(abs(a) * 37);
  q = uint8(abs(b) * 91);
  y = [bitand(p, q), bitor(p, q), bitxor(p, q), bitand(p, 15), bitor(p, uint8(128)), bitshift(p, 2), bitshift(p, -3), bitshift(q, 7)];
  z = [bitand(12, 10), bitor(12, 10), bitxor(12, 10), bitshift(5, 3), bitshift(1000, -4), bitand(2^40 + 5, 2^40 + 3)];
  w = bitand([p q], uint8([240 15]));
end
%% quotients_of_integers: a b
function y = f(a, b)
  n = int32(a * 10);
  m = int32(3);
  y = [idivide(abs(n), m), idivide(n, m, 'floor'), idivide(n, m, 'ceil'), idivide(n, m, 'round'), idivide(abs(n), m, 'fix'), n / m];
end
%% conversions: a b
function [y, z] = f(a, b)
  y = [double(int8(a * 100)), double(single(b)), cast(a, 'int8'), double(logical(a)), double(uint8(true))];
  z = [int8(int16(300)), uint8(int8(-5)), int16(single(2.5)), int32(a > b), single(int8(3)) / 7];
end
%% mean_and_median_of_integers: a
function [y, z] = f(a)
  v = int16([1 2 4 9] + round(a));
  y = mean(v);
  z = median(int16([5 2 9]));
end
%% structures_are_values: a b
function [y, z] = f(a, b)
  s.x = a;
  s.v = [a b 3];
  s.inner.k = 2;
  s.inner.w = s.v * s.inner.k;
  t = s;
  t.x = 5;
  t.v(2) = 7;
  t.inner.w(end + 1) = 4;
  y = [s.x, t.x, s.v, t.v, sum(t.inner.w), numel(t.inner.w)];
  r = struct('gain', 3, 'limits', [-1 1]);
  z = min(max(a * r.gain, r.limits(1)), r.limits(2));
end
%% structures_in_functions: a b
function y = f(a, b)
  p.mass = 2;
  p.drag = 0.5;
  state = struct('position', a, 'speed', b);
  for k = 1:3
    state = advance(state, p);
  end
  y = [state.position, state.speed, energy(state, p)];
end
function s = advance(s, p)
  force = -p.drag * s.speed;
  s.speed = s.speed + force / p.mass * 0.1;
  s.position = s.position + s.speed * 0.1;
end
function e = energy(s, p)
  e = p.mass * s.speed ^ 2 / 2;
end
%% structures_in_branches: a b
function y = f(a, b)
  s = struct('u', a, 'v', [b b]);
  if a > b
    s.u = 10;
    s.v(2) = a;
  else
    s = struct('v', [1 2], 'u', -1);
  end
  y = [s.u, s.v, isfield(s, 'u'), isfield(s, 'w'), isstruct(s), isempty(s)];
end
%% persistent_structures: a
function [y, z] = f(a)
  persistent s
  if isempty(s)
    s = struct('sum', a, 'last', [0 0], 'n', uint8(3));
  end
  s.sum = s.sum + a;
  s.last = [a s.last(1)];
  s.n = s.n + 100;
  y = [s.sum, s.last];
  z = s.n;
end
%% functions_of_a_structure: a b
function [y, z] = f(a, b)
  [s, n] = parts(a, b);
  y = s.sum + s.both(1) * n;
  z = s.both;
end
function [s, n] = parts(a, b)
  s.sum = a + b;
  s.both = [a; b];
  n = nargin;
end
%% loops_that_end_in_the_run ~1e-14: a b
function [y, z, w] = f(a, b)
  y = a * 3;
  while y > 1
    y = y - 2;
  end
  n = 0;
  x = abs(b) + 1;
  while abs(x * x - abs(b)) > 1e-12 && n < 40
    x = (x + abs(b) / x) / 2;
    n = n + 1;
  end
  z = [x, n];
  w = 0;
  for k = 1:floor(abs(a) * 3)
    if k == 5
      continue
    end
    w = w + k * k;
    if w > 60
      break
    end
  end
end
%% ranges_that_change: a b
function y = f(a, b)
  y = 0;
  k = -1;
  for k = a:0.25:b
    y = y + k;
  end
  n = 0;
  for m = 10:-2:abs(b)
    n = n + m;
  end
  y = [y, n];
end
%% nested_loops_that_end_in_the_run: a b
function y = f(a, b)
  y = 0;
  rest = floor(abs(a) * 2);
  while rest > 0
    j = 0;
    while j < rest
      j = j + 1;
      y = y + j * rest;
    end
    rest = rest - 1;
  end
end
%% returns_from_a_loop: a b
function [y, n] = f(a, b)
  n = 0;
  y = abs(a);
  while true
    n = n + 1;
    y = y * 1.5;
    if y > 10
      return
    end
    if n > 12
      break
    end
  end
  y = -y;
end
%% greatest_common_divisor: a b
function y = f(a, b)
  y = gcd_of(int32(abs(a) * 24), int32(abs(b) * 36));
end
function g = gcd_of(a, b)
  while b ~= 0
    r = mod(a, b);
    a = b;
    b = r;
  end
  g = a;
end
%% tables: a b
function [y, z, w] = f(a, b)
  x = [-3 -1 0 0.5 2 4];
  v = [1 -2 0 3 2.5 -1];
  y = [interp1(x, v, a), interp1(x, v, b, 'linear', 'extrap'), interp1(x, v, [a; b], 'linear', 7)', interp1(fliplr(x), fliplr(v), b, 'linear', 0)];
  z = [interp1(x, v, a, 'nearest', 'extrap'), interp1(x, v, b, 'previous', 0), interp1([0 a + 10], [1 b], 2)];
  w = [trapz(v), trapz(x, v), trapz([a b 1]), cumtrapz(v), cumtrapz(x, v)];
end
%% shapes_and_sets: a(3) b
function [y, z] = f(a, b)
  y = [isrow(a), iscolumn(a), issquare(a), ismatrix(a), isrow(a'), ismember(b, [1 2 3]), ismember(a', [0.5 2]), sub2ind([3 4], 2, 3)];
  turned = flip([1 2; 3 4]);
  z = [flip(a'), turned(1, :), sum(sum([a'; 1 2 3]))];
end
%% roots_and_reciprocals ~1e-14: a b
function y = f(a, b)
  y = [nthroot(a, 3), nthroot(abs(b), 4), nthroot(a, 5), sec(a), csc(b + 0.1), cot(a + 0.1)];
end
%% chosen_elements: u(5) v(5) c
function [y, n, e] = f(u, v, c)
  m = u > 0;
  r = u';
  y = [sum(u(m)); prod(u(u > -1)); mean(u(m)); mean(v(u > c) * 2); sumsq(v(m)); sum(u(m) .* v(m)); sum(r(r > c)); sum(abs(u(u < 0))); prod(-v(m) / 3)];
  y = [y; sum(u(find(v > c))); sum(find(v > c)); mean(find(m)); sum(2 - u(m) .^ 2); sum((u(m) + c) .* (v(m) - c)); sum(u(v(1:3) > 0))];
  n = [numel(u(m)); numel(find(v > u)); length(u(m)); nnz(u(u > -2)); isempty(find(u > 6)); isempty(u(m)); any(u(m) > 3); all(u(m) > 0.2); any(isnan(u(m))); sum(u(m) > v(m)); any(~m(v > 0))];
  e = [sum(u(u > 100)); prod(u(u > 100)); mean(u(u > 100)); numel(u(u > 100)); any(u(u > 100)); all(u(u > 100)); isempty(u(u > 100))];
end
%% chosen_extremes: u(5) c
function [y, z] = f(u, c)
  m = u > c;
  y = [0; 0; 0];
  if any(m)
    y = [max(u(m)); min(u(m)); max(abs(u(m)) - 1)];
  end
  x = [u; 0 / 0];
  z = [max(x(x ~= 100)); min(x(x < 100 | isnan(x))); max(find(u > -10))];
  k = 0;
  if numel(find(m)) > 1, k = max(find(m)) - min(find(m)); end
  z = [z; k];
end
%% chosen_classes: u(4) c
function [y, z, s] = f(u, c)
  k = int8(u * 20);
  A = reshape([u; c; 1], 2, 3);
  y = double([sum(k(k > 2)); prod(k(u > 0)); max(k(k < 100)); numel(k(k ~= 0))]);
  z = [sum(A(A > 0)); sum(A(A(:, 1) > 0)); prod(A(A < 2)); numel(find(A > c)); sum(find(A > c))];
  x = single(u / 3);
  s = double([sum(x(x > 0)); mean(x(u > -1)); prod(x(x < 1)); sum(int16(u(u > c) * 9)); sum(single(u(u > c))'); numel(u(u > c)')]);
end
%% chosen_assigned: u(5) v(5) c
function [w, x, a] = f(u, v, c)
  m = u > c;
  w = v;
  w(m) = u(m);
  w(find(u > 1)) = 7;
  w(u > 2) = -u(u > 2) * 2;
  x = u';
  x(m) = x(m) .* 10 + c;
  x(~m) = abs(v(~m));
  A = [u(1:3), v(1:3)];
  A(A > c) = A(A > c) / 4;
  A(A(:) < -1) = c;
  a = A(:);
end
